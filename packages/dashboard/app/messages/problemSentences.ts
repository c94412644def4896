import { ApiProblem } from "../api/ApiProblem.ts"
import { english, type MessageKey } from "./catalogue.ts"
import type { Messages } from "./MessagesProvider.tsx"

const hasOwn = (key: string): key is MessageKey => Object.hasOwn(english, key)

/**
 * What a person reads of a failure: the sentence of its code in their language, what they can do, and for a failure on
 * the server's side the number to report. A code without a sentence of its own is told by the server's.
 */
export const problemSentences = (error: unknown, messages: Messages): ReadonlyArray<string> => {
  const { t } = messages
  if (!(error instanceof ApiProblem)) return [t("problem.unexpected")]
  if (error.status === 0) return [t("problem.unreachable")]
  const key = `problem.${error.code}`
  const { available, requestId } = error.members
  const values = typeof available === "number" ? { count: available } : {}
  return [
    hasOwn(key) ? t(key, values) : error.message,
    ...creditSentences(error, messages),
    ...(error.status >= 500 && typeof requestId === "string" ? [t("problem.request", { requestId })] : [])
  ]
}

const creditSentences = ({ code, members }: ApiProblem, { t, day, list }: Messages): ReadonlyArray<string> => {
  if (code !== "insufficient_credits") return []
  const { nextResetAt, affordableModels } = members
  return [
    ...(Array.isArray(affordableModels) && affordableModels.length > 0
      ? [t("problem.insufficient_credits.models", { models: list(affordableModels.map(String)) })]
      : []),
    ...(typeof nextResetAt === "string" ? [t("problem.insufficient_credits.next", { day: day(nextResetAt) })] : [])
  ]
}
