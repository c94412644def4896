import { ParleyError } from "@parley/client"
import { english, type MessageKey } from "./catalogue.ts"
import type { Messages } from "./MessagesProvider.tsx"

const hasOwn = (key: string): key is MessageKey => Object.hasOwn(english, key)

/**
 * The sentences for a failure: the text of its code in the person's language, the remedy, and for a failure of the
 * server the request id to report. If the code has no text, the server's sentence is used.
 */
export const problemSentences = (error: unknown, messages: Messages): ReadonlyArray<string> => {
  const { t } = messages
  if (!(error instanceof ParleyError)) return [t("problem.unexpected")]
  if (error.status === undefined) return [t("problem.unreachable")]
  const key = `problem.${error.code}`
  const { details, requestId } = error
  const { available } = details
  const values = typeof available === "number" ? { count: available } : {}
  return [
    hasOwn(key) ? t(key, values) : error.message,
    ...creditSentences(error, messages),
    ...(error.status >= 500 && requestId !== undefined ? [t("problem.request", { requestId })] : [])
  ]
}

const creditSentences = ({ code, details }: ParleyError, { t, day, list }: Messages): ReadonlyArray<string> => {
  if (code !== "insufficient_credits") return []
  const { nextResetAt, affordableModels } = details
  return [
    ...(Array.isArray(affordableModels) && affordableModels.length > 0
      ? [t("problem.insufficient_credits.models", { models: list(affordableModels.map(String)) })]
      : []),
    ...(typeof nextResetAt === "string" ? [t("problem.insufficient_credits.next", { day: day(nextResetAt) })] : [])
  ]
}
