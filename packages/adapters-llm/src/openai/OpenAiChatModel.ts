import { type ChatModel, type ChatModelRequest, defaultReplyLimits, replyStream } from "@parley/core"
import { Redacted } from "effect"
import type OpenAI from "openai"
import { readEventStream } from "../vendor/readEventStream.ts"
import { defaultRetryPolicy, retryBeforeFirst } from "../vendor/retryBeforeFirst.ts"
import { vendorFailure } from "../vendor/vendorFailure.ts"
import type { VendorOptions } from "../vendor/VendorOptions.ts"
import { openAiReader } from "./openAiReader.ts"
import { OPENAI_URL } from "./openAiUrl.ts"

/** Hosts that refuse a request with both fields for the output limit. Other servers may know only the older one. */
const KNOWS_NEW_LIMIT = /(?:^|\.)(?:openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com)$/

/** OpenAI's models, or those of any server that speaks its chat completions. */
export class OpenAiChatModel implements ChatModel {
  readonly name = "openai"
  readonly #options: VendorOptions
  readonly #baseUrl: string
  #client: Promise<OpenAI> | undefined

  constructor(options: VendorOptions) {
    this.#options = options
    this.#baseUrl = options.baseUrl ?? OPENAI_URL
  }

  stream(request: ChatModelRequest) {
    const model = request.model.id
    const ask = () =>
      replyStream({
        model,
        limits: { ...defaultReplyLimits, ...this.#options.limits },
        open: (signal) => this.#open(request, signal),
        reader: () => openAiReader(model, request.maxOutputTokens),
        failure: (cause) => vendorFailure(model, cause)
      })
    return retryBeforeFirst(ask, this.name, { ...defaultRetryPolicy, ...this.#options.retry })
  }

  async #open({ maxOutputTokens, messages, model }: ChatModelRequest, signal: AbortSignal) {
    const client = await (this.#client ??= this.#connect())
    const both = KNOWS_NEW_LIMIT.test(new URL(this.#baseUrl).hostname) ? {} : { max_tokens: maxOutputTokens }
    const response = await client.chat.completions
      .create(
        {
          model: model.vendorModel,
          messages: messages.map(({ content, role }) => ({ role, content })),
          max_completion_tokens: maxOutputTokens,
          ...both,
          ...(model.effort === undefined ? {} : { reasoning_effort: model.effort }),
          stream: true,
          stream_options: { include_usage: true }
        },
        { signal }
      )
      .asResponse()
    return readEventStream(response)
  }

  /** The SDK is loaded when it is first needed. Time limits and retries are ours, and it is to log nothing. */
  async #connect(): Promise<OpenAI> {
    const { OpenAI: Client } = await import("openai")
    return new Client({
      apiKey: Redacted.value(this.#options.apiKey),
      baseURL: this.#baseUrl,
      maxRetries: 0,
      timeout: 2 * (this.#options.limits?.totalMs ?? defaultReplyLimits.totalMs),
      logLevel: "off"
    })
  }
}
