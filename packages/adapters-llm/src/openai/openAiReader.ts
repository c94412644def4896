import { type EndPart, ModelFailed, type ReplyPart, type ReplyReader, type Usage } from "@parley/core"
import type { ServerSentEvent } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, isObject, type JsonObject, objectAt } from "../vendor/vendorEvent.ts"
import { failureEvent } from "../vendor/vendorFailure.ts"

/** OpenAI counts cached tokens, read or written, within `prompt_tokens`, and reasoning within `completion_tokens`. */
export const openAiUsage = (usage: JsonObject): Usage | undefined => {
  const input = countAt(usage, "prompt_tokens")
  const output = countAt(usage, "completion_tokens")
  const details = objectAt(usage, "prompt_tokens_details")
  const cacheRead = countAt(details, "cached_tokens") ?? 0
  const cacheWrite = countAt(details, "cache_write_tokens") ?? 0
  if (input === undefined || output === undefined || cacheRead + cacheWrite > input) return undefined
  return { freshInput: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output }
}

/** What a `finish_reason` means; undefined where the model expects an answer that it cannot get here. */
const endReason = (reason: string): EndPart["reason"] | "refused" | undefined => {
  if (reason === "length") return "length"
  if (reason === "content_filter") return "refused"
  return reason === "tool_calls" || reason === "function_call" ? undefined : "completed"
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Reads the chunks of a streamed chat completion. The end mark is `finish_reason`; usage comes in a chunk behind it.
 * Text beyond the limit, which only a server that ignores it would send, is left out: a delta is at least one token.
 */
export const openAiReader = (model: string, maxOutputTokens: number): ReplyReader<ReadonlyArray<ServerSentEvent>> => {
  let reason: EndPart["reason"] | undefined
  let usage: Usage | undefined
  let deltas = 0

  const failed = (name: "refused" | "bad-answer") => new ModelFailed({ model, reason: name, retryable: false })

  const readChoice = (choice: JsonObject): ReadonlyArray<ReplyPart> => {
    const delta = objectAt(choice, "delta")
    if (textOf(delta["refusal"]) !== "") throw failed("refused")
    const text = reason === undefined ? textOf(delta["content"]) : ""
    const finished = textOf(choice["finish_reason"])
    if (finished !== "" && reason === undefined) {
      const end = endReason(finished)
      if (end === undefined) throw failed("bad-answer")
      if (end === "refused") throw failed("refused")
      reason = end
    }
    if (text === "") return []
    deltas += 1
    if (deltas <= maxOutputTokens) return [{ _tag: "text-delta", text }]
    return [{ _tag: "end", reason: "length", usage: undefined }]
  }

  const readChunk = (data: string): ReadonlyArray<ReplyPart> => {
    if (data === "[DONE]") return []
    const chunk = eventObject(data)
    if (isObject(chunk["error"])) throw failureEvent(model, chunk)
    usage = openAiUsage(objectAt(chunk, "usage")) ?? usage
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"] : []
    const [first] = choices.filter(isObject)
    return first === undefined ? [] : readChoice(first)
  }

  return {
    *read(events) {
      for (const event of events) yield* readChunk(event.data)
    },
    finish: () => (reason === undefined ? undefined : { _tag: "end", reason, usage })
  }
}
