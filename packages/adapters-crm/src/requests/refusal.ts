import type { CrmRefusal } from "@parley/core/adapter"
import { type JsonFields, shortTextIn } from "./tokenAnswer.ts"

/** What the codes of RFC 6749, 5.2, and those in its place, mean. Each code in lower case. */
export type RefusalWords = Readonly<Record<string, CrmRefusal>>

const STANDARD: RefusalWords = {
  invalid_grant: "grant",
  invalid_client: "client",
  unauthorized_client: "client"
}

/**
 * Why an answer refuses, or undefined where it does not. `words` are the provider's own codes, which it may give as
 * `error` or as `status`.
 */
export const refusalOf = (
  status: number,
  fields: JsonFields | undefined,
  words: RefusalWords = {}
): CrmRefusal | undefined => {
  const code = shortTextIn(fields ?? {}, "error")
  // Some providers refuse with a status of 200.
  if (status === 200 && (code === undefined || fields?.["access_token"] !== undefined)) return undefined
  const known = new Map(Object.entries({ ...STANDARD, ...words }))
  for (const word of [code, shortTextIn(fields ?? {}, "status")]) {
    const refusal = known.get(word?.toLowerCase() ?? "")
    if (refusal !== undefined) return refusal
  }
  return status === 401 ? "client" : "other"
}
