/** The members of a JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {}

/**
 * Returns a member that is a text, or an integer, because some providers write ids as numbers; without control
 * characters, and at most 200 characters of it.
 */
export const shortTextIn = (fields: JsonFields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== "string") return undefined
  const clean = Array.from(text.replaceAll(/\p{C}/gu, "").trim()).slice(0, 200).join("")
  return clean === "" ? undefined : clean
}

/**
 * Returns the members of the JSON object in a response, or undefined if the body is no JSON object. The response can
 * still be read afterwards.
 */
export const readFields = async (response: Response): Promise<JsonFields | undefined> => {
  try {
    const value: unknown = JSON.parse(await response.clone().text())
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined
  } catch {
    return undefined
  }
}

/**
 * Converts a token response to the form of RFC 6749, 5.1, which the library expects: removes members that are `null`,
 * takes the scopes from the list `scopes` if `scope` is missing, and removes an ID token if no issuer is configured
 * with which it could be checked.
 */
export const inStandardWords = (fields: JsonFields, issuer: string | undefined): JsonFields => {
  const { id_token, scopes, ...rest } = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  const listed =
    Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string") ? scopes.join(" ") : undefined
  return {
    ...rest,
    ...(rest["scope"] === undefined && listed !== undefined ? { scope: listed } : {}),
    ...(issuer === undefined || id_token === undefined ? {} : { id_token })
  }
}
