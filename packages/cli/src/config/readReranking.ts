import { type Redacted, Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const Part = Schema.Struct({
  vendor: Schema.Literal("cohere"),
  model: Schema.optionalKey(Schema.NonEmptyString),
  baseUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/)))
})

const EXPECTED = '{ "vendor": "cohere", "model", "baseUrl" }, the last two where needed'

/**
 * Reads the reranker of found passages from the part `reranking` of the file that `PARLEY_CONFIG` names; undefined if
 * the part is missing.
 */
export const readReranking = (read: EnvironmentReader, part: unknown, apiKey: Redacted.Redacted | undefined) => {
  const reranking = read.part("reranking", part, Part, EXPECTED, "error")
  if (reranking === undefined) return undefined
  if (apiKey === undefined) {
    const expected = "expected the key of the reranker, or any word if it needs none"
    read.problem("PARLEY_RERANKING_API_KEY", expected)
    return undefined
  }
  return { apiKey, model: reranking.model, baseUrl: reranking.baseUrl }
}
