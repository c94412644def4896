import type { ChatModelRequest } from "@parley/core/adapter"
import type OpenAI from "openai"
import { base64Of } from "../alternatingTurns.ts"
import type { Omitted } from "./dialects.ts"

/** Hosts that refuse a request with both fields for the output limit. Other servers may know only the older one. */
const KNOWS_NEW_LIMIT =
  /(?:^|\.)(?:openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/

/** True if a base URL leads to OpenAI itself, or to its models at Azure. */
export const isOpenAi = (baseUrl: string): boolean => KNOWS_NEW_LIMIT.test(new URL(baseUrl).hostname)

/**
 * Puts the output limit into the newer field, the older one or, if `both` is true, each that is not omitted. The catalog
 * and `Dialects` never omit both fields, so a request always has a limit.
 */
const outputLimit = (tokens: number, omitted: Omitted, both: boolean) => {
  const newer = !omitted.has("max_completion_tokens")
  const older = !omitted.has("max_tokens") && (both || !newer)
  return { ...(newer ? { max_completion_tokens: tokens } : {}), ...(older ? { max_tokens: tokens } : {}) }
}

/** A message with its images, before its text. */
const messageOf = ({ content, images, role }: ChatModelRequest["messages"][number]) => {
  if (images === undefined) return { role, content }
  const pictures = images.map((image) => ({
    type: "image_url" as const,
    image_url: { url: `data:${image.mediaType};base64,${base64Of(image)}` }
  }))
  return { role, content: [...pictures, { type: "text" as const, text: content }] }
}

/** The body of a request for a chat completion, without the dropped parameters. */
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
