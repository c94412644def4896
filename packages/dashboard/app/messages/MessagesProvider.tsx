import { createContext, type ReactNode, use, useCallback, useMemo, useState } from "react"
import type { Catalogue, MessageKey } from "./catalogue.ts"
import { type Language, type MessageValues, type Wording, wordingOf } from "./format.ts"
import { localeOf, rememberLanguage } from "./language.ts"
import { loadCatalogue } from "./loadCatalogue.ts"

export type Translate = (key: MessageKey, values?: MessageValues) => string

/** The texts of the application in one language, and the language's formats of numbers and days. */
export interface Messages extends Wording {
  /** Returns the text of a key with its values inserted; `count` selects the plural form. */
  readonly t: Translate
  readonly changeLanguage: (language: Language) => Promise<void>
}

const MessagesContext = createContext<Messages | undefined>(undefined)

export interface MessagesProviderProps {
  readonly initial: { readonly language: Language; readonly catalogue: Catalogue }
  readonly children: ReactNode
}

/** Provides the texts of one language, and a function that changes it. */
export const MessagesProvider = ({ initial, children }: MessagesProviderProps) => {
  const [{ language, catalogue }, setSpoken] = useState(initial)
  const changeLanguage = useCallback(async (next: Language) => {
    const loaded = await loadCatalogue(next)
    rememberLanguage(next)
    document.documentElement.lang = next
    setSpoken({ language: next, catalogue: loaded })
  }, [])
  const messages = useMemo((): Messages => {
    const wording = wordingOf(language, localeOf(language, navigator.languages))
    return { ...wording, t: (key, values) => wording.format(catalogue[key], values), changeLanguage }
  }, [language, catalogue, changeLanguage])
  return <MessagesContext value={messages}>{children}</MessagesContext>
}

export const useMessages = (): Messages => {
  const messages = use(MessagesContext)
  if (messages === undefined) throw new Error("There is no MessagesProvider above this component.")
  return messages
}
