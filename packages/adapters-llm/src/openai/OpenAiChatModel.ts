import {
  type ChatModel,
  type ChatModelRequest,
  defaultReplyLimits,
  type ModelFailed,
  type ReplyLimits,
  type ReplyPart,
  replyStream,
  type SilenceWatch
} from "@parley/core/adapter"
import type { Model } from "@parley/core"
import { Effect, Stream } from "effect"
import type OpenAI from "openai"
import { Connections } from "../vendor/Connections.ts"
import { readEventStream, maxReplyBytes } from "../vendor/readEventStream.ts"
import { defaultRetryPolicy, retryBeforeFirst } from "../vendor/retryBeforeFirst.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import { defaultConnectionLimits, type VendorOptions } from "../vendor/VendorOptions.ts"
import { VendorSilence } from "../silence/VendorSilence.ts"
import { Dialects } from "./dialects.ts"
import { openAiClient, OPENAI_URL } from "./openAiClient.ts"
import { openAiReader } from "./openAiReader.ts"
import { isOpenAi, openAiRequest } from "./openAiRequest.ts"

type LogOmitted = (parameters: ReadonlyArray<string>) => void

/** Chat models of OpenAI, or of any server with the protocol of its chat completions. */
export class OpenAiChatModel implements ChatModel {
  readonly name: string
  readonly #options: VendorOptions
  readonly #limits: ReplyLimits
  readonly #silence: VendorSilence
  readonly #baseUrl: string
  readonly #atOpenAi: boolean
  readonly #dialects: Dialects
  readonly #connections: Connections
  #client: Promise<OpenAI> | undefined

  constructor(options: VendorOptions) {
    this.name = options.name ?? "openai"
    this.#options = options
    this.#limits = { ...defaultReplyLimits, ...options.limits }
    this.#silence = new VendorSilence(this.name, this.#limits)
    this.#baseUrl = options.baseUrl ?? OPENAI_URL
    this.#atOpenAi = isOpenAi(this.#baseUrl)
    this.#dialects = new Dialects(this.#atOpenAi)
    const { open, waiting } = { ...defaultConnectionLimits, ...options.connections }
    this.#connections = new Connections(open, waiting)
  }

  stream(request: ChatModelRequest): Stream.Stream<ReplyPart, ModelFailed> {
    // If the reply is not streamed, the vendor is silent until the whole reply is written, so a silence is no sign of
    // an outage.
    return this.#dialects.omittedFor(request.model).has("stream")
      ? this.#ask(request, undefined)
      : this.#silence.asking(request, (asked, silence) => this.#ask(asked, silence))
  }

  #ask(request: ChatModelRequest, silence: SilenceWatch | undefined): Stream.Stream<ReplyPart, ModelFailed> {
    const model = request.model.id
    const { totalMs } = this.#limits
    const limits = silence === undefined ? { ...this.#limits, firstByteMs: totalMs, idleMs: totalMs } : this.#limits
    const ask = (log: LogOmitted) => (deadline: number) =>
      replyStream({
        model,
        limits,
        deadline,
        open: (signal) => this.#open(request, signal, log),
        reader: () => openAiReader(model),
        failure: (cause) => vendorFailure(model, cause),
        silence
      })
    const policy = { ...defaultRetryPolicy, ...this.#options.retry }
    const patience = { totalMs, deadline: request.deadline }
    return Stream.unwrap(
      Effect.map(this.#logOmitted(request.model), (log) => retryBeforeFirst(ask(log), this.name, policy, patience))
    )
  }

  async #open(request: ChatModelRequest, signal: AbortSignal, log: LogOmitted) {
    await this.#connections.take(signal)
    const client = await (this.#client ??= this.#connect())
    const response = await this.#post(client, request, signal, log)
    return readEventStream(response, maxReplyBytes(request.maxOutputTokens), signal)
  }

  /**
   * Sends the request. If the endpoint refuses a parameter, sends the request again without it, until the endpoint
   * accepts the request or refuses it for another reason.
   */
  async #post(client: OpenAI, request: ChatModelRequest, signal: AbortSignal, log: LogOmitted) {
    const first = this.#dialects.omittedFor(request.model)
    let omitted = first
    for (;;) {
      const body = openAiRequest(request, omitted, this.#atOpenAi)
      try {
        const response = await client.chat.completions.create(body, { signal }).asResponse()
        this.#dialects.answered(request.model, omitted)
        if (omitted !== first) log([...omitted])
        return response
      } catch (refusal) {
        const next = this.#dialects.afterRefusal(request.model, refusal, omitted, new Set(Object.keys(body)))
        if (next === undefined) throw refusal
        omitted = next
      }
    }
  }

  /** Returns a function that logs the parameters that an endpoint refuses, once in each process. */
  #logOmitted(model: Model): Effect.Effect<LogOmitted> {
    const warning = Effect.logWarning("A vendor refuses parameters of the request; they are left out from now on.")
    return Effect.map(Effect.context<never>(), (context) => (parameters) => {
      const labels = { vendor: this.name, model: model.id, parameters, setting: `models.${model.id}.omitParameters` }
      Effect.runForkWith(context)(Effect.annotateLogs(warning, labels))
    })
  }

  #connect(): Promise<OpenAI> {
    const timeoutMs = 2 * this.#limits.totalMs
    return openAiClient({ apiKey: this.#options.apiKey, baseUrl: this.#baseUrl, timeoutMs })
  }
}
