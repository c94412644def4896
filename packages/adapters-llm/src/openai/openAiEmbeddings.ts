import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject } from "../vendor/vendorEvent.ts"

/**
 * Parses a response with `count` embeddings and orders the vectors by their index; the caller checks the numbers.
 * Throws `EventStreamBroken` if the response is not JSON or does not have exactly one entry for each text.
 */
export const embeddingsFrom = (text: string, count: number): ReadonlyArray<unknown> => {
  const { data } = eventObject(text)
  const entries = Array.isArray(data) ? data.filter(isObject) : []
  const vectors = new Map(entries.map((entry) => [countAt(entry, "index"), entry["embedding"]]))
  const missing = Array.from({ length: count }, (_, index) => index).some((index) => !vectors.has(index))
  if (missing || entries.length !== count) throw new EventStreamBroken("The answer has not one entry for each text.")
  return Array.from({ length: count }, (_, index) => vectors.get(index))
}
