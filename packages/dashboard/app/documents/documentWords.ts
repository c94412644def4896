import { type Document, ParleyError } from "@parley/client"
import { english } from "../messages/catalogue.ts"
import type { Messages } from "../messages/MessagesProvider.tsx"
import { problemSentences } from "../messages/problemSentences.ts"
import type { UploadLimits } from "./UploadQueue.ts"

type Key = keyof typeof english
const isKey = (key: string): key is Key => Object.hasOwn(english, key)

/** The name of a file type, for people. */
export const typeWords = (type: string, { t }: Pick<Messages, "t">): string => {
  const key = `documents.type.${type}`
  return isKey(key) ? t(key) : type.toUpperCase()
}

/** The sentence with the accepted file types and the largest size. */
export const acceptedWords = ({ types, maxBytes }: UploadLimits, { t, list, size }: Messages): string =>
  t("documents.accepts", { types: list(types.map((type) => type.toUpperCase())), size: size(maxBytes) })

/** The sentences that explain why a file was refused. */
export const refusalSentences = (problem: unknown, limits: UploadLimits, messages: Messages): ReadonlyArray<string> => {
  const { t, list, size } = messages
  if (problem instanceof ParleyError && problem.code === "file_rejected") {
    const key = `documents.upload.${String(problem.details["problem"])}`
    const types = list(limits.types.map((type) => type.toUpperCase()))
    if (isKey(key)) return [t(key, { types, size: size(limits.maxBytes) })]
  }
  return problemSentences(problem, messages)
}

/** The share of the progress bar at which reading ends and indexing begins. */
const READ = 0.5

export const stageWords = ({ progress }: Document, { t }: Pick<Messages, "t">): string =>
  t(progress < READ ? "documents.stage.reading" : "documents.stage.indexing")
