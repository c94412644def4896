import { type EndPart, type InputUsage, ModelFailed, type ReplyPart, type ReplyReader } from "@parley/core/adapter"
import type { Usage } from "@parley/core"
import { makeRepeatedText } from "../vendor/repeatedText.ts"
import type { ServerSentEvent } from "../vendor/serverSentEvents.ts"
import { countAt, eventObject, type JsonObject, objectAt, textOf } from "../vendor/vendorEvent.ts"
import { failureEvent } from "../vendor/vendorFailure.ts"

/** Reads the input counts. Anthropic counts fresh input, cache reads and cache writes separately. */
const inputUsage = (usage: JsonObject): InputUsage | undefined => {
  const freshInput = countAt(usage, "input_tokens")
  if (freshInput === undefined) return undefined
  return {
    freshInput,
    cacheRead: countAt(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: countAt(usage, "cache_creation_input_tokens") ?? 0
  }
}

/** Reads the token counts. `output_tokens` includes thinking. */
export const anthropicUsage = (usage: JsonObject): Usage | undefined => {
  const input = inputUsage(usage)
  const output = countAt(usage, "output_tokens")
  return input === undefined || output === undefined ? undefined : { ...input, output }
}

/**
 * Returns the reason of the end for a `stop_reason`; undefined if the model waits for input that Parley does not send.
 */
const endReason = (reason: unknown): EndPart["reason"] | "refused" | undefined => {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length"
  if (reason === "refusal") return "refused"
  return reason === "tool_use" || reason === "pause_turn" ? undefined : "completed"
}

/**
 * Reads the events of a streamed message. The end mark is `message_stop`. Usage is reported in parts, and later parts
 * replace earlier ones. The first part has the count of the prompt; its output count is ignored, because it was made
 * before the first word. The reader also accepts a message that arrives as one document instead of a stream.
 */
class AnthropicReader implements ReplyReader<ReadonlyArray<ServerSentEvent>> {
  readonly #model: string
  readonly #repeatedText = makeRepeatedText("text")
  #stopReason: unknown
  #usage: JsonObject = {}
  #end: EndPart | undefined

  constructor(model: string) {
    this.#model = model
  }

  *read(events: ReadonlyArray<ServerSentEvent>): Iterable<ReplyPart> {
    for (const { data } of events) {
      if (this.#end !== undefined) return
      const text = this.#repeatedText.read(data)
      if (text === undefined) yield* this.#readEvent(data)
      else yield { _tag: "text-delta", text }
    }
  }

  finish(): EndPart | undefined {
    return this.#end
  }

  #readEvent(data: string): ReadonlyArray<ReplyPart> {
    const event = eventObject(data)
    switch (event["type"]) {
      case "message_start": {
        const { output_tokens: _, ...reported } = objectAt(objectAt(event, "message"), "usage")
        this.#addUsage(reported)
        const prompt = inputUsage(this.#usage)
        return prompt === undefined ? [] : [{ _tag: "input-usage", usage: prompt }]
      }
      case "content_block_delta": {
        const { text, type } = objectAt(event, "delta")
        if (type !== "text_delta" || typeof text !== "string") return []
        this.#repeatedText.learn(data, text)
        return [{ _tag: "text-delta", text }]
      }
      case "message_delta":
        this.#addUsage(objectAt(event, "usage"))
        this.#stopReason = objectAt(event, "delta")["stop_reason"] ?? this.#stopReason
        return []
      case "message_stop":
        this.#stop()
        return []
      case "message":
        return this.#readWhole(event)
      case "error":
        throw failureEvent(this.#model, event)
      default:
        return []
    }
  }

  #readWhole(message: JsonObject): ReadonlyArray<ReplyPart> {
    this.#addUsage(objectAt(message, "usage"))
    this.#stopReason = message["stop_reason"]
    this.#stop()
    const text = textOf(message["content"])
    return text === "" ? [] : [{ _tag: "text-delta", text }]
  }

  #addUsage(reported: JsonObject): void {
    const counted = Object.entries(reported).filter(([, count]) => count !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(counted) }
  }

  #stop(): void {
    const reason = endReason(this.#stopReason) ?? "bad-answer"
    if (reason === "refused" || reason === "bad-answer") {
      throw new ModelFailed({ model: this.#model, reason, retryable: false })
    }
    this.#end = { _tag: "end", reason, usage: anthropicUsage(this.#usage) }
  }
}

/** Returns a reader for one reply of `model`. */
export const anthropicReader = (model: string): ReplyReader<ReadonlyArray<ServerSentEvent>> =>
  new AnthropicReader(model)
