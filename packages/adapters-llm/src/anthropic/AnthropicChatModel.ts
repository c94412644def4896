import type Anthropic from "@anthropic-ai/sdk"
import {
  type ChatModel,
  type ChatModelRequest,
  defaultReplyLimits,
  loadPackage,
  type ReplyLimits,
  replyStream,
  type SilenceWatch
} from "@parley/core/adapter"
import type { Effort } from "@parley/core"
import { textOf } from "../vendor/ApiKey.ts"
import { Connections } from "../vendor/Connections.ts"
import { readEventStream, maxReplyBytes } from "../vendor/readEventStream.ts"
import { defaultRetryPolicy, retryBeforeFirst } from "../vendor/retryBeforeFirst.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import { vendorFetch } from "../vendor/vendorFetch.ts"
import { defaultConnectionLimits, type VendorOptions } from "../vendor/VendorOptions.ts"
import { VendorSilence } from "../silence/VendorSilence.ts"
import { cachedPrompt } from "./cachedPrompt.ts"
import { anthropicReader } from "./anthropicReader.ts"

const ANTHROPIC = "https://api.anthropic.com"

/**
 * Returns the request fields for the effort. With "none" the model does not think before it writes: Anthropic's value
 * `between_tools` allows thinking only between tool calls, and Parley uses no tools.
 */
const thinking = (effort: Effort | undefined): Partial<Anthropic.MessageCreateParamsStreaming> => {
  if (effort === undefined) return {}
  return effort === "none" ? { thinking: { type: "between_tools" } } : { output_config: { effort } }
}

/** Anthropic's models. */
export class AnthropicChatModel implements ChatModel {
  readonly name: string
  readonly #options: VendorOptions
  readonly #limits: ReplyLimits
  readonly #silence: VendorSilence
  readonly #connections: Connections
  #client: Promise<Anthropic> | undefined

  constructor(options: VendorOptions) {
    this.name = options.name ?? "anthropic"
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
    const ask = (deadline: number) =>
      replyStream({
        model,
        limits,
        deadline,
        open: (signal) => this.#open(request, signal),
        reader: () => anthropicReader(model),
        failure: (cause) => vendorFailure(model, cause),
        silence
      })
    const policy = { ...defaultRetryPolicy, ...this.#options.retry }
    return retryBeforeFirst(ask, this.name, policy, { totalMs: limits.totalMs, deadline: request.deadline })
  }

  async #open({ maxOutputTokens, messages, model }: ChatModelRequest, signal: AbortSignal) {
    await this.#connections.take(signal)
    const client = await (this.#client ??= this.#connect())
    const body: Anthropic.MessageCreateParamsStreaming = {
      model: model.vendorModel,
      max_tokens: maxOutputTokens,
      ...cachedPrompt(messages),
      ...thinking(model.effort),
      stream: true
    }
    // Does not use `messages.create`, which writes to the console about models that will retire.
    const response = await client.post("/v1/messages", { body, stream: true, signal }).asResponse()
    return readEventStream(response, maxReplyBytes(maxOutputTokens), signal)
  }

  /** Loads the SDK at the first use. Time limits and retries are Parley's own; the SDK logs nothing. */
  async #connect(): Promise<Anthropic> {
    const { Anthropic: Client } = await loadPackage("@anthropic-ai/sdk", () => import("@anthropic-ai/sdk"))
    return new Client({
      apiKey: textOf(this.#options.apiKey),
      authToken: null,
      baseURL: this.#options.baseUrl ?? ANTHROPIC,
      fetch: vendorFetch,
      maxRetries: 0,
      timeout: 2 * this.#limits.totalMs,
      logLevel: "off"
    })
  }
}
