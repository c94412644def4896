import { EventStreamBroken } from "./serverSentEvents.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object in an event's data. Throws `EventStreamBroken` for anything else. */
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

/** The object under a key; an empty one where there is none. */
export const objectAt = (value: JsonObject, key: string): JsonObject => {
  const found = value[key]
  return isObject(found) ? found : {}
}

/** A count as vendors report it; undefined where it is missing or no count. */
export const countAt = (value: JsonObject, key: string): number | undefined => {
  const found = value[key]
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

/** The text of a content: itself, or that of its parts that are text. Thoughts, calls and pictures are none. */
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
