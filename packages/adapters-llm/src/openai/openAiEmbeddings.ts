import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject } from "../vendor/vendorEvent.ts"

/**
 * The vectors of an answer to a request for `count` embeddings, by their index and still to be checked. Throws
 * `EventStreamBroken` where the answer is not one: no JSON, or not exactly one entry for each text.
 */
export const embeddingsFrom = (text: string, count: number): ReadonlyArray<unknown> => {
  const { data } = eventObject(text)
  const entries = Array.isArray(data) ? data.filter(isObject) : []
  const vectors = new Map(entries.map((entry) => [countAt(entry, "index"), entry["embedding"]]))
  const missing = Array.from({ length: count }, (_, index) => index).some((index) => !vectors.has(index))
  if (missing || entries.length !== count) throw new EventStreamBroken("The answer has not one entry for each text.")
  return Array.from({ length: count }, (_, index) => vectors.get(index))
}
