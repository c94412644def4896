import { Effect, Result } from "effect"
import type { Passage } from "../Document.ts"
import { causeField } from "../../storage/failureFields.ts"
import { type Embedder, type Embedding, EmbeddingFailed, type EmbeddingFailure } from "./Embedder.ts"

/** Names an embedder with its dimensions: only embeddings with the same name can be compared. */
export const embeddingModel = ({ dimensions, name }: Embedder["Service"]): string => `${name}/${dimensions}`

/**
 * Returns the text of a passage for an embedder. It begins with the headings above the passage, which name its subject.
 * Equal texts have equal embeddings.
 */
export const embeddedText = ({ headings = [], text }: Passage): string =>
  [headings.map(({ title }) => title).join(" › "), text].filter((part) => part !== "").join("\n\n")

/** Failures that are caused by the text itself: it will never have an embedding. */
const OF_THE_TEXT: ReadonlyArray<EmbeddingFailure> = ["blank", "too-long", "refused"]

export interface EmbedTexts<E, R> {
  /** The texts, without duplicates. */
  readonly texts: ReadonlyArray<string>
  /**
   * Called with the embeddings of a request as soon as they arrive; not interrupted, because the embeddings are paid
   * for.
   */
  readonly keep: (embeddings: ReadonlyMap<string, Embedding>) => Effect.Effect<void, E, R>
}

/** Divides texts into requests of the maximum size. */
export const requestsOf = (
  { limits: { textsPerRequest } }: Embedder["Service"],
  texts: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> => {
  const requests: Array<ReadonlyArray<string>> = []
  for (let from = 0; from < texts.length; from += textsPerRequest) {
    requests.push(texts.slice(from, from + textsPerRequest))
  }
  return requests
}

/**
 * Requests the embeddings of texts, and stores those of one request before the next request starts in its place. A text
 * that the embedder refuses has no embedding, and is found by its words alone. If the embedder fails, this effect fails
 * after the embeddings of the running requests were stored; the caller requests the rest later.
 */
export const embedTexts = <E, R>(
  embedder: Embedder["Service"],
  { keep, texts }: EmbedTexts<E, R>
): Effect.Effect<void, E | EmbeddingFailed, R> =>
  Effect.gen(function* () {
    let failure: EmbeddingFailed | undefined
    const ask = (request: ReadonlyArray<string>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const embeddings = new Map<string, Embedding>()
          const results = yield* restore(embedder.embed(request))
          results.forEach((result, place) => {
            if (Result.isSuccess(result)) embeddings.set(request[place]!, result.success)
            else if (!OF_THE_TEXT.includes(result.failure.reason)) failure ??= result.failure
          })
          if (embeddings.size > 0) yield* keep(embeddings)
        })
      )
    yield* Effect.forEach(
      requestsOf(embedder, texts),
      (request) => Effect.suspend(() => (failure === undefined ? ask(request) : Effect.void)),
      { concurrency: embedder.limits.concurrency, discard: true }
    )
    if (failure !== undefined) return yield* failure
  })

/** The maximum time that a search waits for the embedding of its query; after it, the search uses words alone. */
const QUERY_PATIENCE = "5 seconds"

/** Returns the embedding of a query; if it does not arrive in time, logs that and returns undefined. */
export const embedQuery = (embedder: Embedder["Service"], query: string): Effect.Effect<Embedding | undefined> =>
  embedder.embed([query]).pipe(
    Effect.flatMap(([result = Result.fail(LATE)]) => Effect.fromResult(result)),
    Effect.timeoutOrElse({ duration: QUERY_PATIENCE, orElse: () => Effect.fail(LATE) }),
    Effect.catch((error) =>
      query.trim() === "" ? Effect.undefined : Effect.as(noteNotEmbedded(embedder, error), undefined)
    )
  )

const LATE = new EmbeddingFailed({ reason: "stalled", retryable: true })

const noteNotEmbedded = ({ name }: Embedder["Service"], error: EmbeddingFailed): Effect.Effect<void> =>
  Effect.logWarning("A question has no embedding; its documents are searched by words alone.").pipe(
    Effect.annotateLogs({ embedder: name, reason: error.reason, ...causeField(error) })
  )
