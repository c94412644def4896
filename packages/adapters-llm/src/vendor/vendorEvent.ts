import { EventStreamBroken } from "./serverSentEvents.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** Parses the JSON object in an event's data. Throws `EventStreamBroken` for any other data. */
export const eventObject = (data: string): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (cause) {
    throw new EventStreamBroken("An event of the stream is not JSON.", { cause })
  }
  if (!isObject(value)) throw new EventStreamBroken("An event of the stream is not an object.")
  return value
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the object under a key, or an empty object. */
export const objectAt = (value: JsonObject, key: string): JsonObject => {
  const found = value[key]
  return isObject(found) ? found : {}
}

/** Returns the count under a key; undefined if it is missing or not a valid count. */
export const countAt = (value: JsonObject, key: string): number | undefined => {
  const found = value[key]
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

/**
 * Returns the text of a message's content: the content itself, or its text parts joined. Thoughts, tool calls and
 * pictures are left out.
 */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part
      const { text, type = "text" } = isObject(part) ? part : {}
      return type === "text" && typeof text === "string" ? text : ""
    })
    .join("")
}
