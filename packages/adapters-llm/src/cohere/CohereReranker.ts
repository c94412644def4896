import { RerankFailed, type RerankInput, type RerankerService } from "@parley/core/adapter"
import { Effect } from "effect"
import { refusingWhileSilent } from "../silence/refusingWhileSilent.ts"
import { type ApiKey, textOf } from "../vendor/ApiKey.ts"
import { wholeBytes } from "../vendor/readBounded.ts"
import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject } from "../vendor/vendorEvent.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import { vendorFetch } from "../vendor/vendorFetch.ts"

export interface CohereRerankerOptions {
  readonly apiKey: ApiKey
  /** The address of a compatible server, without `/rerank`; Cohere's by default. */
  readonly baseUrl?: string | undefined
  /** The name of the model; `rerank-v3.5` by default. */
  readonly model?: string | undefined
  /** Time limit of one request in milliseconds; 10,000 by default. A reply waits for less time. */
  readonly timeoutMs?: number
}

const COHERE_URL = "https://api.cohere.com/v2"
const TIMEOUT_MS = 10_000
/** The most bytes of a response besides the passages, which a server may repeat; a larger response is refused. */
const BYTES_AROUND = 1024 * 1024
const BYTES_PER_UNIT = 6

/**
 * Parses a response with a score for each of `count` passages, in `results` (Cohere, Jina) or `data` (Voyage). Returns
 * the scores in the order of the passages. Throws `EventStreamBroken` if the response has another form.
 */
export const scoresFrom = (text: string, count: number): ReadonlyArray<number> => {
  const { data, results = data } = eventObject(text)
  const entries = Array.isArray(results) ? results.filter(isObject) : []
  const scores = new Map(entries.map((entry) => [countAt(entry, "index"), entry["relevance_score"]]))
  const ordered = Array.from({ length: count }, (_, index) => scores.get(index))
  if (entries.length !== count || !ordered.every((score): score is number => Number.isFinite(score))) {
    throw new EventStreamBroken("The answer has not one score for each passage.")
  }
  return ordered
}

/**
 * Makes a reranker that uses Cohere, or any server that answers `/rerank` in Cohere's form: Jina, Voyage, many
 * gateways.
 */
export const makeCohereReranker = (options: CohereRerankerOptions): RerankerService => {
  const { apiKey, baseUrl = COHERE_URL, model = "rerank-v3.5", timeoutMs = TIMEOUT_MS } = options
  const name = `cohere/${model}`

  const post = async ({ passages, query }: RerankInput, signal: AbortSignal): Promise<ReadonlyArray<number>> => {
    const body = JSON.stringify({ model, query, documents: passages })
    const response = await vendorFetch(`${baseUrl.replace(/\/+$/, "")}/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${textOf(apiKey)}`, "content-type": "application/json" },
      body,
      signal
    })
    const bytes = await wholeBytes(response, BYTES_AROUND + body.length * BYTES_PER_UNIT, signal)
    return scoresFrom(new TextDecoder().decode(bytes), passages.length)
  }

  const ask = (input: RerankInput): Effect.Effect<ReadonlyArray<number>, RerankFailed> =>
    Effect.tryPromise({
      try: (signal) => post(input, signal),
      catch: (cause) => new RerankFailed({ cause: vendorFailure(model, cause) })
    }).pipe(
      Effect.tapError(({ cause }) =>
        Effect.logWarning("The reranker did not judge passages.").pipe(
          Effect.annotateLogs({ reranker: name, reason: (cause as ReturnType<typeof vendorFailure>).reason })
        )
      ),
      Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(new RerankFailed({})) })
    )

  const askUnlessSilent = refusingWhileSilent(name, ask, {
    probe: { query: "Hi", passages: ["Hi"] },
    refused: () => new RerankFailed({}),
    isSilence: ({ cause }) => cause === undefined
  })

  return {
    name,
    rerank: (input) => (input.passages.length === 0 ? Effect.succeed([]) : askUnlessSilent(input))
  }
}
