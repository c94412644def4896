import type { ModelFailure } from "@parley/core/adapter"
import type { Usage } from "@parley/core"
import { head } from "../wires.ts"

/** A failure of a server, and Parley's name for it. */
export interface Trouble {
  readonly what: string
  /** The whole answer, from its head on. */
  readonly answer: string
  readonly reason: ModelFailure
  /** A part of the fault in the operator's log. */
  readonly fault?: string
}

/** A server with its own variant of OpenAI's chat completions, according to its public documentation. */
export interface CompatibleServer {
  readonly name: string
  /** Parameters that it refuses, and how. */
  refuses(body: Readonly<Record<string, unknown>>): string | undefined
  /** The answer to a request that it takes. */
  answer(body: Readonly<Record<string, unknown>>): string
  readonly text: string
  /** The reported usage; undefined if it reports none. */
  readonly usage: Usage | undefined
  /** The parameters that are dropped in the end. */
  readonly without: ReadonlyArray<string>
  readonly troubles: ReadonlyArray<Trouble>
}

export const event = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`

/** The answer that streams these events. */
export const streamed = (...events: ReadonlyArray<string>): string => head() + events.join("")

/** An answer in JSON, or in text. */
export const answered = (status: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string =>
  head(status, { "content-type": "application/json", ...headers }) +
  (typeof body === "string" ? body : JSON.stringify(body))

/** A chunk with one choice. */
export const chunk = (delta: unknown, finish_reason: string | null = null, more: object = {}): string =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_762_355_135,
    model: "m",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...more
  })

export const usageOf = (freshInput: number, output: number, cacheRead = 0): Usage => ({
  freshInput,
  cacheRead,
  cacheWrite: 0,
  output
})

export const told = (prompt_tokens: number, completion_tokens: number, more: object = {}): object => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...more }
})

export const done = event("[DONE]")
export const takesAll = (): undefined => undefined
export const has = (body: Readonly<Record<string, unknown>>, name: string): boolean => body[name] !== undefined
