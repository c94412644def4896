import { Context, Effect, Schema } from "effect"
import type { FoundPassage } from "../Document.ts"

/** The passages were not judged. `cause` is for logs of the adapter only: vendor text never reaches an answer. */
export class RerankFailed extends Schema.TaggedError<RerankFailed>()("RerankFailed", {
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "rerank_failed"
  override get message() {
    return "The found passages could not be judged anew; they keep their order."
  }
}

export interface RerankInput {
  readonly query: string
  /** The texts of what was found, best first. */
  readonly passages: ReadonlyArray<string>
}

/** Judges how well passages answer a query, by reading both together: slower than any search, so for few passages. */
export interface RerankerService {
  /** Provider and model. */
  readonly name: string
  /** A finite number for each passage, in their order: the higher, the better it answers. */
  rerank(input: RerankInput): Effect.Effect<ReadonlyArray<number>, RerankFailed>
}

/** The reranker in force: none unless configured. */
export class Reranker extends Context.Reference<RerankerService | undefined>("@parley/core/documents/Reranker", {
  defaultValue: () => undefined
}) {}

/** Passages found for each that is kept, where a reranker chooses among them. */
export const RERANKED_SHARE = 4

/** How long a reply waits for a reranker; what was found keeps its order then. */
const PATIENCE = "3 seconds"

const isSound = (judged: ReadonlyArray<number>, count: number): boolean =>
  judged.length === count && judged.every(Number.isFinite)

/**
 * What was found in the order of the reranker, equals in the order they had; scores are its own. It only orders: whatever it
 * answers, nothing is added, and where it fails, is late or answers nonsense the order stays.
 */
export const rerankFound = (
  reranker: RerankerService,
  query: string,
  found: ReadonlyArray<FoundPassage>
): Effect.Effect<ReadonlyArray<FoundPassage>> => {
  const asItIs = (reason: string) =>
    Effect.logWarning("Found passages were not judged anew.").pipe(
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
