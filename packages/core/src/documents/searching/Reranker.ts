import { Context, Effect, Schema } from "effect"
import type { FoundPassage } from "../Document.ts"

/**
 * The reranker gave no scores. `cause` is only for logs of the adapter: text of the vendor never appears in a response.
 */
export class RerankFailed extends Schema.TaggedError<RerankFailed>()("RerankFailed", {
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "rerank_failed"
  override get message() {
    return "The reranker failed; the found passages keep their order."
  }
}

export interface RerankInput {
  readonly query: string
  /** The texts of the found passages, best first. */
  readonly passages: ReadonlyArray<string>
}

/**
 * Judges how well passages answer a query by reading both together. This is slower than a search, so it is used for few
 * passages.
 */
export interface RerankerService {
  /** The provider and the model. */
  readonly name: string
  /** Returns a finite number for each passage, in their order: the higher, the better it answers the query. */
  rerank(input: RerankInput): Effect.Effect<ReadonlyArray<number>, RerankFailed>
}

/** The reranker in force: none unless configured. */
export class Reranker extends Context.Reference<RerankerService | undefined>("@parley/core/documents/Reranker", {
  defaultValue: () => undefined
}) {}

/** The maximum number of passages that a reranker reads for a question. */
export const RERANKED = 50

/** The maximum time that a reply waits for a reranker; after it, the passages keep their order. */
const PATIENCE = "3 seconds"

const isSound = (judged: ReadonlyArray<number>, count: number): boolean =>
  judged.length === count && judged.every(Number.isFinite)

/**
 * Returns the found passages in the order of the reranker, with its scores; passages with equal scores keep their
 * order. A reranker adds no passage; if it fails, is late or returns invalid numbers, the order stays.
 */
export const rerankFound = (
  reranker: RerankerService,
  query: string,
  found: ReadonlyArray<FoundPassage>
): Effect.Effect<ReadonlyArray<FoundPassage>> => {
  const asItIs = (reason: string) =>
    Effect.logWarning("Found passages were not reranked.").pipe(
      Effect.annotateLogs({ reranker: reranker.name, reason }),
      Effect.as(found)
    )
  if (found.length < 2) return Effect.succeed(found)
  return reranker.rerank({ query, passages: found.map(({ text }) => text) }).pipe(
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(new RerankFailed({})) }),
    Effect.flatMap((judged) =>
      isSound(judged, found.length)
        ? Effect.succeed(
            found
              .map((passage, place) => ({ ...passage, score: judged[place] ?? 0 }))
              .sort((one, other) => other.score - one.score)
          )
        : asItIs("bad answer")
    ),
    Effect.catchTag("RerankFailed", () => asItIs("failed or late"))
  )
}
