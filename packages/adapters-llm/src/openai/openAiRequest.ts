import type { ChatModelRequest } from "@parley/core/adapter"
import type OpenAI from "openai"
import { base64Of, isBlank } from "../alternatingTurns.ts"
import type { Omitted } from "./dialects.ts"

/**
 * Matches the hosts of OpenAI and Azure. They know the newer field for the output limit, and refuse a request with both
 * fields; other servers may know only the older one.
 */
const KNOWS_NEW_LIMIT =
  /(?:^|\.)(?:openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/

/** True if a base URL is that of OpenAI itself, or of its models at Azure. */
export const isOpenAi = (baseUrl: string): boolean => KNOWS_NEW_LIMIT.test(new URL(baseUrl).hostname)

/**
 * Returns the output limit in the newer field if that is not omitted, otherwise in the older one; in each that is not
 * omitted if `both` is true. The catalog and `Dialects` never omit both fields, so a request always has a limit.
 */
const outputLimit = (tokens: number, omitted: Omitted, both: boolean) => {
  const newer = !omitted.has("max_completion_tokens")
  const older = !omitted.has("max_tokens") && (both || !newer)
  return { ...(newer ? { max_completion_tokens: tokens } : {}), ...(older ? { max_tokens: tokens } : {}) }
}

/** Returns a message in the form of the request, with its images before its text, if it has text. */
const messageOf = ({ content, images, role }: ChatModelRequest["messages"][number]) => {
  if (images === undefined) return { role, content }
  const pictures = images.map((image) => ({
    type: "image_url" as const,
    image_url: { url: `data:${image.mediaType};base64,${base64Of(image)}` }
  }))
  const text = isBlank(content) ? [] : [{ type: "text" as const, text: content }]
  return { role, content: [...pictures, ...text] }
}

/** Returns the body of a request for a chat completion, without the omitted parameters. */
export const openAiRequest = (
  { maxOutputTokens, messages, model }: ChatModelRequest,
  omitted: Omitted,
  atOpenAi: boolean
): OpenAI.ChatCompletionCreateParams => {
  const stream = !omitted.has("stream")
  return {
    model: model.vendorModel,
    messages: messages.map(messageOf),
    ...outputLimit(maxOutputTokens, omitted, !atOpenAi),
    ...(model.effort === undefined || omitted.has("reasoning_effort") ? {} : { reasoning_effort: model.effort }),
    ...(stream ? { stream } : {}),
    ...(stream && !omitted.has("stream_options") ? { stream_options: { include_usage: true } } : {})
  } as OpenAI.ChatCompletionCreateParams
}
