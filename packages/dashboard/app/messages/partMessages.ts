import { use } from "react"
import { loadPart } from "../parts/loadPart.ts"
import type { MessageKey } from "./catalogue.ts"
import type { Message, MessageValues, OtherLanguage } from "./format.ts"
import { type Messages, useMessages } from "./MessagesProvider.tsx"

type Texts<Key extends string> = Readonly<Record<Key, Message>>

/** The texts of the application together with the texts of one part of it. */
export interface PartMessages<Key extends string> extends Omit<Messages, "t"> {
  readonly t: (key: MessageKey | Key, values?: MessageValues) => string
}

/** Functions that load the texts of a part in each language other than English. */
type Imports<Key extends string> = Readonly<Record<OtherLanguage, () => Promise<Texts<Key>>>>

/**
 * Makes a hook for the texts of a part that few people open. The texts are loaded with the part, not with the
 * application.
 */
export const partMessages = <Key extends string>(english: Texts<Key>, imports: Imports<Key>) => {
  const loaded: Partial<Record<OtherLanguage, Promise<Texts<Key>>>> = {}
  const load = (language: OtherLanguage) => (loaded[language] ??= loadPart(imports[language]))
  const isOfPart = (key: string): key is Key => Object.hasOwn(english, key)
  return function usePartMessages(): PartMessages<Key> {
    const messages = useMessages()
    const texts = messages.language === "en" ? english : use(load(messages.language))
    return {
      ...messages,
      t: (key, values) => (isOfPart(key) ? messages.format(texts[key], values) : messages.t(key, values))
    }
  }
}
