import { use } from "react"
import type { MessageKey } from "../../messages/catalogue.ts"
import { admin as english } from "../../messages/en/admin.ts"
import type { Message, MessageValues } from "../../messages/format.ts"
import { type Messages, useMessages } from "../../messages/MessagesProvider.tsx"
import { loadPart } from "../../parts/loadPart.ts"

type AdminKey = keyof typeof english
type AdminTexts = Readonly<Record<AdminKey, Message>>

/** The texts of the application together with those of the administration. */
export interface AdminMessages extends Omit<Messages, "t"> {
  readonly t: (key: MessageKey | AdminKey, values?: MessageValues) => string
}

let german: Promise<AdminTexts> | undefined
const loadGerman = (): Promise<AdminTexts> =>
  (german ??= loadPart(async () => (await import("../../messages/de/admin.ts")).admin))

const isAdminKey = (key: string): key is AdminKey => Object.hasOwn(english, key)

/** The texts for operators, who are few: they are loaded with the administration and not with the application. */
export const useAdminMessages = (): AdminMessages => {
  const messages = useMessages()
  const texts: AdminTexts = messages.language === "de" ? use(loadGerman()) : english
  return {
    ...messages,
    t: (key, values) => (isAdminKey(key) ? messages.format(texts[key], values) : messages.t(key, values))
  }
}
