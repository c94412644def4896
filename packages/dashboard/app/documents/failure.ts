import type { StoredDocument } from "../api/documents.ts"
import { english } from "../messages/catalogue.ts"
import type { Messages } from "../messages/MessagesProvider.tsx"

type FailureKey = keyof typeof english & `documents.failed.${string}`
const isFailureKey = (key: string): key is FailureKey => Object.hasOwn(english, key)

/** Whether reading it again can end otherwise: not where the file itself is at fault. */
export const canRetry = ({ status, retryable }: StoredDocument): boolean => status === "failed" && retryable

/** Why it could not be read, for people: in their language where it is known, else as the server says it. */
export const failureSentence = ({ reason, reasonCode }: StoredDocument, { t }: Pick<Messages, "t">): string => {
  const key = `documents.failed.${reasonCode ?? ""}`
  return isFailureKey(key) ? t(key) : (reason ?? t("documents.failed"))
}
