import type { Document } from "@parley/client"
import { english } from "../messages/catalogue.ts"
import type { Messages } from "../messages/MessagesProvider.tsx"

type FailureKey = keyof typeof english & `documents.failed.${string}`
const isFailureKey = (key: string): key is FailureKey => Object.hasOwn(english, key)

/** True if processing a document again may succeed, because the file itself is not at fault. */
export const canRetry = ({ status, retryable }: Document): boolean => status === "failed" && retryable

/** The reason of a failure in the person's language if its code is known; otherwise the server's sentence. */
export const failureSentence = (
  { reason, reasonCode }: Pick<Document, "reason" | "reasonCode">,
  { t }: Pick<Messages, "t">
): string => {
  const key = `documents.failed.${reasonCode ?? ""}`
  return isFailureKey(key) ? t(key) : (reason ?? t("documents.failed"))
}
