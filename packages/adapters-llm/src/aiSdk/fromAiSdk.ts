import {
  type ChatModel,
  type ChatModelRequest,
  defaultReplyLimits,
  type ReplyLimits,
  replyStream,
  type SilenceWatch
} from "@parley/core/adapter"
import { VendorSilence } from "../silence/VendorSilence.ts"
import { alternatingTurns, isBlank } from "../alternatingTurns.ts"
import { Connections } from "../vendor/Connections.ts"
import { defaultRetryPolicy, retryBeforeFirst } from "../vendor/retryBeforeFirst.ts"
import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { isObject } from "../vendor/vendorEvent.ts"
import { defaultConnectionLimits, type VendorOptions } from "../vendor/VendorOptions.ts"
import { aiSdkFailure, readingError } from "./aiSdkFailure.ts"
import { aiSdkReader } from "./aiSdkReader.ts"

/** A text of a prompt. */
interface AiSdkText {
  type: "text"
  text: string
}

/**
 * An image of a prompt. The type of `data` fits every specification: in version 4 the bytes are one level deeper than
 * in 2 and 3.
 */
interface AiSdkFile {
  type: "file"
  mediaType: string
  data: never
}

/** The kinds of messages that Parley sends to a model of the AI SDK. */
type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: Array<AiSdkText | AiSdkFile> }
  | { role: "assistant"; content: Array<AiSdkText> }

/** The options of a call that Parley sets. */
interface AiSdkCall {
  prompt: Array<AiSdkMessage>
  maxOutputTokens?: number
  abortSignal?: AbortSignal
  reasoning?: "none" | "low" | "medium" | "high"
}

/**
 * A language model of the AI SDK, of specification 2 (`ai` 5), 3 (`ai` 6) or 4 (`ai` 7). The type contains only the
 * members that Parley uses, so that no package of the AI SDK is needed here.
 */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4"
  readonly provider: string
  readonly modelId: string
  doStream(options: AiSdkCall): PromiseLike<{
    readonly stream: ReadableStream<unknown>
    readonly response?: { readonly headers?: unknown }
  }>
}

/**
 * A model, or a provider: a function that Parley calls with the `vendorModel` of the catalog, and that returns the
 * model.
 */
export type AiSdkSource = AiSdkModel | ((vendorModel: string) => AiSdkModel)

/**
 * The options that Parley accepts. The key and the address are missing, because they are settings of the AI SDK's
 * provider.
 */
export type FromAiSdkOptions = Omit<VendorOptions, "apiKey" | "baseUrl">

const promptOf = (messages: ChatModelRequest["messages"], version: AiSdkModel["specificationVersion"]) => {
  const { system, turns } = alternatingTurns(messages)
  const dataOf = (data: Uint8Array) => (version === "v4" ? { type: "data", data } : data) as never
  const prompt: Array<AiSdkMessage> = system === "" ? [] : [{ role: "system", content: system }]
  return prompt.concat(
    turns.map(({ content, images = [], role }): AiSdkMessage => {
      const text = { type: "text" as const, text: content }
      if (role === "assistant") return { role, content: [text] }
      const files = images.map(({ bytes, mediaType }) => ({ type: "file" as const, mediaType, data: dataOf(bytes) }))
      return { role, content: isBlank(content) ? files : [...files, text] }
    })
  )
}

/**
 * True if the response is a web page, as a server at a wrong address sends it. The provider would read the page as a
 * stream without parts.
 */
const isPage = (headers: unknown): boolean =>
  isObject(headers) && String(headers["content-type"]).toLowerCase().startsWith("text/html")

/**
 * Yields the parts of a stream. The stream is cancelled as soon as `signal` aborts, even while the vendor is silent.
 */
async function* partsOf(stream: ReadableStream<unknown>, signal: AbortSignal): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined)
  if (signal.aborted) cancel()
  else signal.addEventListener("abort", cancel, { once: true })
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw readingError(cause)
    })
    if (done) return
    yield value
  }
}

/** Sends one request without retries: the AI SDK repeats requests only above the level of its models. */
const openStream = async (
  asked: AiSdkModel,
  { maxOutputTokens, messages, model: { effort } }: ChatModelRequest,
  signal: AbortSignal
): Promise<AsyncIterable<unknown>> => {
  const { response, stream } = await asked.doStream({
    prompt: promptOf(messages, asked.specificationVersion),
    maxOutputTokens,
    abortSignal: signal,
    ...(effort === undefined || asked.specificationVersion !== "v4" ? {} : { reasoning: effort })
  })
  if (isPage(response?.headers)) throw new EventStreamBroken("The answer is a page, no stream.")
  return partsOf(stream, signal)
}

/** The models of a provider of the AI SDK. */
class AiSdkChatModel implements ChatModel {
  readonly name: string
  readonly #source: AiSdkSource
  readonly #options: FromAiSdkOptions
  readonly #limits: ReplyLimits
  readonly #silence: VendorSilence
  readonly #connections: Connections

  constructor(source: AiSdkSource, options: FromAiSdkOptions) {
    this.name = options.name ?? (typeof source === "function" ? "ai-sdk" : source.provider)
    this.#source = source
    this.#options = options
    this.#limits = { ...defaultReplyLimits, ...options.limits }
    this.#silence = new VendorSilence(this.name, this.#limits)
    const { open, waiting } = { ...defaultConnectionLimits, ...options.connections }
    this.#connections = new Connections(open, waiting)
  }

  stream(request: ChatModelRequest) {
    return this.#silence.asking(request, (asked, silence) => this.#ask(asked, silence))
  }

  #ask(request: ChatModelRequest, silence: SilenceWatch) {
    const model = request.model.id
    const limits = this.#limits
    let provider = this.name
    const open = async (signal: AbortSignal) => {
      await this.#connections.take(signal)
      const asked = typeof this.#source === "function" ? this.#source(request.model.vendorModel) : this.#source
      provider = asked.provider
      return openStream(asked, request, signal)
    }
    const ask = (deadline: number) =>
      replyStream({
        model,
        limits,
        deadline,
        open,
        reader: () => aiSdkReader(model, () => provider),
        failure: (cause) => aiSdkFailure(model, cause),
        silence
      })
    const policy = { ...defaultRetryPolicy, ...this.#options.retry }
    return retryBeforeFirst(ask, this.name, policy, { totalMs: limits.totalMs, deadline: request.deadline })
  }
}

/**
 * Makes a vendor from a provider or a model of the AI SDK. Time limits and retries are Parley's own. The catalog must
 * have the facts about the model that the hold and the price need; tokens are counted as the provider reports them.
 */
export const fromAiSdk = (source: AiSdkSource, options: FromAiSdkOptions = {}): ChatModel =>
  new AiSdkChatModel(source, options)
