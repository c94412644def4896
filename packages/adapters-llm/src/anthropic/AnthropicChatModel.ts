import type Anthropic from "@anthropic-ai/sdk"
import { type ChatModel, type ChatModelRequest, defaultReplyLimits, type Effort, replyStream } from "@parley/core"
import { Redacted } from "effect"
import { readEventStream } from "../vendor/readEventStream.ts"
import { defaultRetryPolicy, retryBeforeFirst } from "../vendor/retryBeforeFirst.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import type { VendorOptions } from "../vendor/VendorOptions.ts"
import { anthropicMessages } from "./anthropicMessages.ts"
import { anthropicReader } from "./anthropicReader.ts"

const ANTHROPIC = "https://api.anthropic.com"

/** With "none" there is no thinking before the words: the vendor calls what is left, with no tools, `between_tools`. */
const thinking = (effort: Effort | undefined): Partial<Anthropic.MessageCreateParamsStreaming> => {
  if (effort === undefined) return {}
  return effort === "none" ? { thinking: { type: "between_tools" } } : { output_config: { effort } }
}

/** Anthropic's models. */
export class AnthropicChatModel implements ChatModel {
  readonly name = "anthropic"
  readonly #options: VendorOptions
  #client: Promise<Anthropic> | undefined

  constructor(options: VendorOptions) {
    this.#options = options
  }

  stream(request: ChatModelRequest) {
    const model = request.model.id
    const ask = () =>
      replyStream({
        model,
        limits: { ...defaultReplyLimits, ...this.#options.limits },
        open: (signal) => this.#open(request, signal),
        reader: () => anthropicReader(model),
        failure: (cause) => vendorFailure(model, cause)
      })
    return retryBeforeFirst(ask, this.name, { ...defaultRetryPolicy, ...this.#options.retry })
  }

  async #open({ maxOutputTokens, messages, model }: ChatModelRequest, signal: AbortSignal) {
    const client = await (this.#client ??= this.#connect())
    const { system, turns } = anthropicMessages(messages)
    const body: Anthropic.MessageCreateParamsStreaming = {
      model: model.vendorModel,
      max_tokens: maxOutputTokens,
      ...(system === "" ? {} : { system }),
      messages: [...turns],
      ...thinking(model.effort),
      stream: true
    }
    // Not by `messages.create`, which writes to the console about models that will retire.
    const response = await client.post("/v1/messages", { body, stream: true, signal }).asResponse()
    return readEventStream(response)
  }

  /** The SDK is loaded when it is first needed. Time limits and retries are ours, and it is to log nothing. */
  async #connect(): Promise<Anthropic> {
    const { Anthropic: Client } = await import("@anthropic-ai/sdk")
    return new Client({
      apiKey: Redacted.value(this.#options.apiKey),
      authToken: null,
      baseURL: this.#options.baseUrl ?? ANTHROPIC,
      maxRetries: 0,
      timeout: 2 * (this.#options.limits?.totalMs ?? defaultReplyLimits.totalMs),
      logLevel: "off"
    })
  }
}
