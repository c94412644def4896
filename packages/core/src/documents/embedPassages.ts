import { Effect, Result } from "effect"
import type { Passage } from "./Document.ts"
import type { Embedder, Embedding, EmbeddingFailed, EmbeddingFailure } from "./Embedder.ts"

/** What tells embeddings apart that cannot be compared. */
export const embeddingModel = ({ dimensions, name }: Embedder["Service"]): string => `${name}/${dimensions}`

/** What an embedder reads of a passage: the titles above it say what it is about. */
const embeddedText = ({ headings = [], text }: Passage): string =>
  [headings.map(({ title }) => title).join(" › "), text].filter((part) => part !== "").join("\n\n")

/** Failures that are the text's own: it will never have an embedding. */
const OF_THE_TEXT: ReadonlyArray<EmbeddingFailure> = ["blank", "too-long", "refused"]

/**
 * An embedding for each passage, in order; undefined for one that the embedder does not take, which is found by its words
 * alone. Fails where the embedder does: the passages are to be added again when it works.
 */
export const embedPassages = Effect.fnUntraced(function* (
  embedder: Embedder["Service"],
  passages: ReadonlyArray<Passage>
): Effect.fn.Return<ReadonlyArray<Embedding | undefined>, EmbeddingFailed> {
  const results = yield* embedder.embed(passages.map(embeddedText))
  for (const result of results) {
    if (Result.isFailure(result) && !OF_THE_TEXT.includes(result.failure.reason)) return yield* result.failure
  }
  return results.map((result) => (Result.isSuccess(result) ? result.success : undefined))
})

/** How long a search waits for its query's embedding; it goes by words alone then. */
const QUERY_PATIENCE = "5 seconds"

/** The embedding of a query; undefined where there is none soon, which the log tells. */
export const embedQuery = (embedder: Embedder["Service"], query: string): Effect.Effect<Embedding | undefined> =>
  embedder.embed([query]).pipe(
    Effect.map(([result]) => (result !== undefined && Result.isSuccess(result) ? result.success : undefined)),
    Effect.timeoutOrElse({ duration: QUERY_PATIENCE, orElse: () => Effect.succeed(undefined) }),
    Effect.tap((embedding) =>
      embedding === undefined && query.trim() !== ""
        ? Effect.logWarning("A question has no embedding; its documents are searched by words alone.").pipe(
            Effect.annotateLogs({ embedder: embedder.name })
          )
        : Effect.void
    )
  )
