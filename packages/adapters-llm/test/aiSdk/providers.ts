import { createGoogle } from "@ai-sdk/google"
import { createMistral } from "@ai-sdk/mistral"
import { createOpenAI } from "@ai-sdk/openai"
import type { ChatModel } from "@parley/core/adapter"
import { type FromAiSdkOptions, fromAiSdk } from "../../src/aiSdk/index.ts"

/** A provider of the AI SDK, and how its vendor streams on the wire. */
export interface Provider {
  readonly name: string
  connect(url: string, options?: FromAiSdkOptions): ChatModel
  delta(text: string): string
  end(reason: "completed" | "length", usage: { readonly input: number; readonly output: number }): string
  /** An event that reports a failure within the stream; undefined if the vendor has none. */
  readonly failure?: (kind: "rate-limited" | "overloaded") => string
  readonly errorBody: string
  /** The output limit that a request asks for. */
  limitOf(body: Readonly<Record<string, unknown>>): number
}

const apiKey = "sk-test-secret"
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const noRetries = { retry: { retries: 0 } }

const choice = (delta: object, finish_reason: string | null, rest: object = {}): string =>
  data({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...rest
  })

const openAiUsage = ({ input, output }: { readonly input: number; readonly output: number }) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output
})

const openAi: Provider = {
  name: "openai",
  connect: (url, options) =>
    fromAiSdk((name) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(name), { ...noRetries, ...options }),
  delta: (content) => choice({ content }, null),
  end: (reason, usage) =>
    choice({}, reason === "completed" ? "stop" : "length") +
    data({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [],
      usage: openAiUsage(usage)
    }) +
    "data: [DONE]\n\n",
  failure: (kind) => {
    const code = kind === "rate-limited" ? "rate_limit_exceeded" : "server_error"
    return data({ error: { message: "vendor text", type: code, code, param: null } })
  },
  errorBody: JSON.stringify({ error: { message: "vendor text", type: "error", code: "some_error", param: null } }),
  limitOf: (body) => Number(body["max_completion_tokens"] ?? body["max_tokens"])
}

const candidate = (parts: ReadonlyArray<object>, rest: object = {}, more: object = {}): string =>
  data({ candidates: [{ content: { role: "model", parts }, index: 0, ...rest }], ...more })

const google: Provider = {
  name: "google",
  connect: (url, options) =>
    fromAiSdk(createGoogle({ apiKey, baseURL: `${url}/v1beta` }), { ...noRetries, ...options }),
  delta: (text) => candidate([{ text }]),
  end: (reason, { input, output }) =>
    candidate(
      [],
      { finishReason: reason === "completed" ? "STOP" : "MAX_TOKENS" },
      {
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output
        }
      }
    ),
  failure: (kind) => {
    const [code, status] = kind === "rate-limited" ? [429, "RESOURCE_EXHAUSTED"] : [503, "UNAVAILABLE"]
    return data({ error: { code, status, message: "vendor text" } })
  },
  errorBody: JSON.stringify({ error: { code: 500, status: "SOME_ERROR", message: "vendor text" } }),
  limitOf: (body) => Number((body["generationConfig"] as { readonly maxOutputTokens?: number }).maxOutputTokens)
}

const mistral: Provider = {
  name: "mistral",
  connect: (url, options) =>
    fromAiSdk(createMistral({ apiKey, baseURL: `${url}/v1` })("a-model"), { ...noRetries, ...options }),
  delta: (content) => choice({ role: "assistant", content }, null),
  end: (reason, usage) =>
    choice({ role: "assistant", content: "" }, reason === "completed" ? "stop" : "length", {
      usage: openAiUsage(usage)
    }) + "data: [DONE]\n\n",
  errorBody: JSON.stringify({ object: "error", message: "vendor text", type: "some_error", param: null, code: null }),
  limitOf: (body) => Number(body["max_tokens"])
}

export const providers: ReadonlyArray<Provider> = [openAi, google, mistral]
