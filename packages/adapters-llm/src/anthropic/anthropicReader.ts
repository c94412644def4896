import { type EndPart, type InputUsage, ModelFailed, type ReplyPart, type ReplyReader } from "@parley/core/adapter"
import type { Usage } from "@parley/core"
import { makeRepeatedText } from "../vendor/repeatedText.ts"
import type { ServerSentEvent } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, type JsonObject, objectAt, textOf } from "../vendor/vendorEvent.ts"
import { failureEvent } from "../vendor/vendorFailure.ts"

/** Anthropic counts input, cache reads and cache writes apart. */
const inputUsage = (usage: JsonObject): InputUsage | undefined => {
  const freshInput = countAt(usage, "input_tokens")
  if (freshInput === undefined) return undefined
  return {
    freshInput,
    cacheRead: countAt(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: countAt(usage, "cache_creation_input_tokens") ?? 0
  }
}

/** Thinking is within `output_tokens`. */
export const anthropicUsage = (usage: JsonObject): Usage | undefined => {
  const input = inputUsage(usage)
  const output = countAt(usage, "output_tokens")
  return input === undefined || output === undefined ? undefined : { ...input, output }
}

/** The end reason for a `stop_reason`; undefined if the model waits for input that Parley does not send. */
const endReason = (reason: unknown): EndPart["reason"] | "refused" | undefined => {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length"
  if (reason === "refusal") return "refused"
  return reason === "tool_use" || reason === "pause_turn" ? undefined : "completed"
}

/**
 * Reads the events of a streamed message. The end mark is `message_stop`. Usage comes in parts, of which later ones
 * count; the first part reports the prompt, and its output count, from before the first word, is ignored. It also
 * reads a message that comes as one document instead of a stream.
 */
export const anthropicReader = (model: string): ReplyReader<ReadonlyArray<ServerSentEvent>> => {
  let stopReason: unknown
  let usage: JsonObject = {}
  let end: EndPart | undefined
  const repeatedText = makeRepeatedText("text")

  const failed = (reason: "refused" | "bad-answer") => new ModelFailed({ model, reason, retryable: false })

  const addUsage = (reported: JsonObject) => {
    usage = { ...usage, ...Object.fromEntries(Object.entries(reported).filter(([, count]) => count !== null)) }
  }

  const promptCounted = (): ReadonlyArray<ReplyPart> => {
    const reported = inputUsage(usage)
    return reported === undefined ? [] : [{ _tag: "input-usage", usage: reported }]
  }

  const stop = () => {
    const reason = endReason(stopReason)
    if (reason === undefined) throw failed("bad-answer")
    if (reason === "refused") throw failed("refused")
    end = { _tag: "end", reason, usage: anthropicUsage(usage) }
  }

  const readWhole = (message: JsonObject): ReadonlyArray<ReplyPart> => {
    addUsage(objectAt(message, "usage"))
    stopReason = message["stop_reason"]
    stop()
    const text = textOf(message["content"])
    return text === "" ? [] : [{ _tag: "text-delta", text }]
  }

  const readEvent = (data: string): ReadonlyArray<ReplyPart> => {
    if (end !== undefined) return []
    const repeated = repeatedText.read(data)
    if (repeated !== undefined) return [{ _tag: "text-delta", text: repeated }]
    const event = eventObject(data)
    switch (event["type"]) {
      case "message_start": {
        const { output_tokens: _, ...reported } = objectAt(objectAt(event, "message"), "usage")
        addUsage(reported)
        return promptCounted()
      }
      case "content_block_delta": {
        const { text, type } = objectAt(event, "delta")
        if (type !== "text_delta" || typeof text !== "string") return []
        repeatedText.learn(data, text)
        return [{ _tag: "text-delta", text }]
      }
      case "message_delta":
        addUsage(objectAt(event, "usage"))
        stopReason = objectAt(event, "delta")["stop_reason"] ?? stopReason
        return []
      case "message_stop":
        stop()
        return []
      case "message":
        return readWhole(event)
      case "error":
        throw failureEvent(model, event)
      default:
        return []
    }
  }

  return {
    *read(events) {
      for (const event of events) yield* readEvent(event.data)
    },
    finish: () => end
  }
}
