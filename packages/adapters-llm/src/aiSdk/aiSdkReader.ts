import { type EndPart, ModelFailed, type ReplyPart, type ReplyReader } from "@parley/core/adapter"
import type { Usage } from "@parley/core"
import { countAt, isObject, type JsonObject, objectAt } from "../vendor/vendorEvent.ts"
import { aiSdkFailure } from "./aiSdkFailure.ts"

/** Reads the token counts of specification 3 and later, which separate fresh and cached input. */
const separateUsage = (usage: JsonObject): Usage | undefined => {
  const [input, counted] = [objectAt(usage, "inputTokens"), objectAt(usage, "outputTokens")]
  const cacheRead = countAt(input, "cacheRead") ?? 0
  const cacheWrite = countAt(input, "cacheWrite") ?? 0
  const total = countAt(input, "total") ?? -1
  // Fresh input is the total without cached tokens, because some providers include writes to the cache in `noCache`.
  const rest = total - cacheRead - cacheWrite
  const freshInput = rest >= 0 ? rest : countAt(input, "noCache")
  const output = countAt(counted, "total") ?? countAt(counted, "text")
  return freshInput === undefined || output === undefined ? undefined : { freshInput, cacheRead, cacheWrite, output }
}

/** Providers that, in specification 2, do not include tokens read from a cache in `inputTokens`. */
const SEPARATE = /anthropic|bedrock/i

/** Reads the token counts of specification 2, which does not report writes to a cache. */
const joinedUsage = (usage: JsonObject, provider: string): Usage | undefined => {
  const [input, output] = [countAt(usage, "inputTokens"), countAt(usage, "outputTokens")]
  if (input === undefined || output === undefined) return undefined
  const cacheRead = countAt(usage, "cachedInputTokens") ?? 0
  const freshInput = SEPARATE.test(provider) || cacheRead > input ? input : input - cacheRead
  return { freshInput, cacheRead, cacheWrite: 0, output }
}

/** The tokens that the end of a stream reports; undefined if it reports none. */
export const aiSdkUsage = (usage: JsonObject, provider: string): Usage | undefined =>
  isObject(usage["inputTokens"]) ? separateUsage(usage) : joinedUsage(usage, provider)

/**
 * Reads the parts of a stream of the AI SDK. The end mark is a `finish` part with a reason of the vendor: if a
 * connection ends early, a provider also writes `finish`, but as `interrupted` or without a reason of the vendor.
 */
class AiSdkReader implements ReplyReader<unknown> {
  readonly #model: string
  readonly #provider: () => string
  #end: EndPart | undefined

  constructor(model: string, provider: () => string) {
    this.#model = model
    this.#provider = provider
  }

  *read(part: unknown): Iterable<ReplyPart> {
    if (!isObject(part) || this.#end !== undefined) return
    const { delta, type } = part
    if (type === "error") throw aiSdkFailure(this.#model, part["error"])
    if (type === "text-delta" && typeof delta === "string" && delta !== "") yield { _tag: "text-delta", text: delta }
    if (type !== "finish") return
    const reason = this.#reasonOf(part["finishReason"])
    if (reason === undefined) return
    this.#end = { _tag: "end", reason, usage: aiSdkUsage(objectAt(part, "usage"), this.#provider()) }
    yield this.#end
  }

  finish(): EndPart | undefined {
    return this.#end
  }

  /** Returns the reason of the end; undefined if the vendor named none, so that the reply counts as cut off. */
  #reasonOf(given: unknown): EndPart["reason"] | undefined {
    const { raw, unified } = isObject(given) ? given : { raw: given, unified: given }
    switch (unified) {
      case "stop":
        return "completed"
      case "length":
        return "length"
      case "content-filter":
        throw new ModelFailed({ model: this.#model, reason: "refused", retryable: false })
      case "tool-calls":
        throw new ModelFailed({ model: this.#model, reason: "bad-answer", retryable: false })
      case "error":
        throw new ModelFailed({ model: this.#model, reason: "unavailable", retryable: true })
      case "other":
        return raw === undefined ? undefined : "completed"
      default:
        return undefined
    }
  }
}

/**
 * Returns a reader for one reply of `model`. `provider` is a function because the provider is known only after its
 * stream is open.
 */
export const aiSdkReader = (model: string, provider: () => string): ReplyReader<unknown> =>
  new AiSdkReader(model, provider)
