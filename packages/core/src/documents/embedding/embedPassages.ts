import { Effect, Result } from "effect"
import type { Passage } from "../Document.ts"
import { causeField } from "../../storage/failureFields.ts"
import { type Embedder, type Embedding, EmbeddingFailed, type EmbeddingFailure } from "./Embedder.ts"

/** Names the embedder of embeddings: only those of one name can be compared. */
export const embeddingModel = ({ dimensions, name }: Embedder["Service"]): string => `${name}/${dimensions}`

/**
 * Returns the text of a passage for an embedder: the titles above it say what it is about. Equal texts have equal
 * embeddings.
 */
export const embeddedText = ({ headings = [], text }: Passage): string =>
  [headings.map(({ title }) => title).join(" › "), text].filter((part) => part !== "").join("\n\n")

/** Failures that are the text's own: it will never have an embedding. */
const OF_THE_TEXT: ReadonlyArray<EmbeddingFailure> = ["blank", "too-long", "refused"]

export interface EmbedTexts<E, R> {
  /** Each once. */
  readonly texts: ReadonlyArray<string>
  /** Called with the embeddings of a request as soon as they arrive, and not interrupted, since they are paid for. */
  readonly keep: (embeddings: ReadonlyMap<string, Embedding>) => Effect.Effect<void, E, R>
}

/** The texts of each request, as many as one may contain. */
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
 * Asks for the embeddings of texts, request by request, and keeps those of one request before the next begins in its
 * place. A text that the embedder refuses has none, and is found by its words alone. If the embedder fails, this fails
 * after the open requests have been kept; the caller asks for the rest later.
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

/** The longest wait of a search for its query's embedding; after it, the search uses words alone. */
const QUERY_PATIENCE = "5 seconds"

/** Returns the embedding of a query; undefined, with a log line, if it does not arrive soon. */
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
