import type { ChatModel, ReplyLimits } from "@parley/core/adapter"
import { defaultCatalog, type Model } from "@parley/core"
import { Redacted } from "effect"
import { AnthropicChatModel, type ConnectionLimits, OpenAiChatModel, type RetryPolicy } from "../../src/index.ts"

export interface WireOptions {
  readonly limits?: Partial<ReplyLimits>
  readonly retry?: Partial<RetryPolicy>
  readonly connections?: Partial<ConnectionLimits>
}

/** The form of one vendor's streams on the wire. */
export interface Wire {
  readonly name: "openai" | "anthropic"
  readonly model: Model
  connect(url: string, options?: WireOptions): ChatModel
  /** The events before the first delta. */
  readonly start: string
  delta(text: string): string
  /** The events with which a reply ends; those from `endMarkAt` on are behind the end mark. */
  end(reason: "completed" | "length" | "refused", usage: { readonly input: number; readonly output: number }): string
  /** An event that reports a failure within the stream. */
  failure(kind: "overloaded" | "rate-limited" | "refused"): string
  /** The body of an answer with an error status. */
  errorBody(kind: string): string
  /** The output limit that a request asks for. */
  limitOf(body: Readonly<Record<string, unknown>>): number
  /** A sign of life without content. */
  readonly ping: string
}

const data = (value: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`

const modelOf = (vendor: "openai" | "anthropic"): Model =>
  defaultCatalog.models.find((model) => model.vendor === vendor) as Model

const apiKey = Redacted.make("sk-test-secret")
const noRetries = { retries: 0 }

const chunk = (choices: ReadonlyArray<unknown>, rest: object = {}): string =>
  data({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt", choices, ...rest })

export const openAiWire: Wire = {
  name: "openai",
  model: modelOf("openai"),
  connect: (url, options = {}) => new OpenAiChatModel({ apiKey, baseUrl: `${url}/v1`, retry: noRetries, ...options }),
  start: chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
  delta: (content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]),
  end: (reason, { input, output }) => {
    const finish = { completed: "stop", length: "length", refused: "content_filter" }[reason]
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    return chunk([{ index: 0, delta: {}, finish_reason: finish }]) + chunk([], { usage }) + data("[DONE]")
  },
  failure: (kind) => {
    const type = { overloaded: "server_error", "rate-limited": "rate_limit_exceeded", refused: "content_filter" }[kind]
    return data({ error: { message: "vendor text", type, code: null, param: null } })
  },
  errorBody: (code) => JSON.stringify({ error: { message: "vendor text", type: "error", code, param: null } }),
  limitOf: (body) => Number(body["max_completion_tokens"]),
  ping: ": keep-alive\n\n"
}

const named = (value: { readonly type: string }): string => data(value, value.type)

export const anthropicWire: Wire = {
  name: "anthropic",
  model: modelOf("anthropic"),
  connect: (url, options = {}) => new AnthropicChatModel({ apiKey, baseUrl: url, retry: noRetries, ...options }),
  start:
    named({
      type: "message_start",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 9, output_tokens: 1 }
      }
    } as { type: string }) +
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string }),
  delta: (text) =>
    named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as { type: string }),
  end: (reason, { input, output }) => {
    const stop_reason = { completed: "end_turn", length: "max_tokens", refused: "refusal" }[reason]
    const usage = { input_tokens: input, output_tokens: output }
    return (
      named({ type: "content_block_stop", index: 0 } as { type: string }) +
      named({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage } as { type: string }) +
      named({ type: "message_stop" })
    )
  },
  failure: (kind) => {
    const type = {
      overloaded: "overloaded_error",
      "rate-limited": "rate_limit_error",
      refused: "invalid_request_error"
    }
    return named({ type: "error", error: { type: type[kind], message: "vendor text" } } as { type: string })
  },
  errorBody: (type) => JSON.stringify({ type: "error", error: { type, message: "vendor text" } }),
  limitOf: (body) => Number(body["max_tokens"]),
  ping: named({ type: "ping" })
}

export const wires: ReadonlyArray<Wire> = [openAiWire, anthropicWire]

/** The head of a response whose body ends with the connection. */
export const head = (status = "200 OK", headers: Readonly<Record<string, string>> = {}): string => {
  const all = { "content-type": "text/event-stream; charset=utf-8", ...headers, connection: "close" }
  return `HTTP/1.1 ${status}\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`
}

/** The head of a response whose body marks its own end; `chunked` frames its parts. */
export const chunkedHead = head("200 OK", { "transfer-encoding": "chunked" })
export const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
export const lastChunk = "0\r\n\r\n"
