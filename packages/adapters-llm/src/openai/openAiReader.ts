import { type EndPart, ModelFailed, type ReplyPart, type ReplyReader } from "@parley/core/adapter"
import type { Usage } from "@parley/core"
import { makeRepeatedText } from "../vendor/repeatedText.ts"
import type { ServerSentEvent } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject, type JsonObject, objectAt, textOf } from "../vendor/vendorEvent.ts"
import { failureEvent } from "../vendor/vendorFailure.ts"

/** Returns the tokens that were read from a cache; DeepSeek reports them in another field. */
const cachedTokens = (usage: JsonObject): number =>
  countAt(objectAt(usage, "prompt_tokens_details"), "cached_tokens") ?? countAt(usage, "prompt_cache_hit_tokens") ?? 0

/**
 * Reads the token counts. OpenAI includes cached tokens, read or written, in `prompt_tokens`, and reasoning in
 * `completion_tokens`.
 */
export const openAiUsage = (usage: JsonObject): Usage | undefined => {
  const input = countAt(usage, "prompt_tokens")
  const output = countAt(usage, "completion_tokens")
  const cacheRead = cachedTokens(usage)
  const cacheWrite = countAt(objectAt(usage, "prompt_tokens_details"), "cache_write_tokens") ?? 0
  if (input === undefined || output === undefined || cacheRead + cacheWrite > input) return undefined
  return { freshInput: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output }
}

/**
 * The meaning of each `finish_reason`. Some servers have values of their own for a normal end: `eos`, `stop_sequence`.
 */
const ENDS: Readonly<Record<string, EndPart["reason"] | ModelFailed["reason"]>> = {
  length: "length",
  model_length: "length",
  max_tokens: "length",
  content_filter: "refused",
  // The model expects the result of a tool, which Parley does not send.
  tool_calls: "bad-answer",
  function_call: "bad-answer",
  error: "unavailable",
  abort: "unavailable",
  aborted: "unavailable",
  insufficient_system_resource: "unavailable"
}

const stringIn = (value: unknown): string => (typeof value === "string" ? value : "")

const saysSomething = (error: unknown): boolean => isObject(error) || stringIn(error) !== ""

/**
 * True if a chunk contains an error after the stream has begun: as an object or a text, in a chunk of its own, in a
 * choice, or as the whole chunk.
 */
const isError = (chunk: JsonObject, choice: JsonObject): boolean =>
  chunk["object"] === "error" ||
  saysSomething(chunk["error"]) ||
  saysSomething(choice["error"]) ||
  saysSomething(objectAt(chunk, "x_groq")["error"])

/** Returns the token counts of a chunk; Groq reports them in a field of its own. */
const usageIn = (chunk: JsonObject): Usage | undefined => {
  const { usage, x_groq } = chunk
  if (isObject(usage)) return openAiUsage(usage)
  return isObject(x_groq) ? openAiUsage(objectAt(x_groq, "usage")) : undefined
}

/**
 * Returns a reader for the chunks of a streamed chat completion, or for a completion that arrives as a whole. The end
 * mark is `finish_reason`; the token counts are in the same chunk or in a later one.
 */
export const openAiReader = (model: string): ReplyReader<ReadonlyArray<ServerSentEvent>> => {
  let reason: EndPart["reason"] | undefined
  let usage: Usage | undefined
  const repeatedText = makeRepeatedText("content")

  const finish = (finished: string) => {
    const end = ENDS[finished] ?? "completed"
    if (end !== "completed" && end !== "length") {
      throw new ModelFailed({ model, reason: end, retryable: end === "unavailable" })
    }
    reason = end
  }

  const readChoice = (choice: JsonObject): ReadonlyArray<ReplyPart> => {
    if (reason !== undefined) return []
    const said = isObject(choice["delta"]) ? choice["delta"] : objectAt(choice, "message")
    if (stringIn(said["refusal"]) !== "") throw new ModelFailed({ model, reason: "refused", retryable: false })
    const finished = stringIn(choice["finish_reason"])
    if (finished !== "" && finished !== "null") finish(finished)
    const text = textOf(said["content"])
    return text === "" ? [] : [{ _tag: "text-delta", text }]
  }

  const readChunk = (data: string): ReadonlyArray<ReplyPart> => {
    const repeated = reason === undefined ? repeatedText.read(data) : undefined
    if (repeated !== undefined) return repeated === "" ? [] : [{ _tag: "text-delta", text: repeated }]
    if (data.trim() === "[DONE]") return []
    const chunk = eventObject(data)
    const [choice = {}] = Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : []
    if (isError(chunk, choice)) throw failureEvent(model, isObject(choice["error"]) ? choice : chunk)
    const reported = usageIn(chunk)
    usage = reported ?? usage
    const parts = readChoice(choice)
    const [only] = parts
    if (only?._tag === "text-delta" && reported === undefined && reason === undefined) {
      repeatedText.learn(data, only.text)
    }
    return parts
  }

  return {
    *read(events) {
      for (const event of events) yield* readChunk(event.data)
    },
    finish: () => (reason === undefined ? undefined : { _tag: "end", reason, usage })
  }
}
