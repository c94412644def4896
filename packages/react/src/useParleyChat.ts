import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { type ChatSettings, type ChatSnapshot, ChatStore } from "./ChatStore.ts"
import { useShared } from "./ParleyProvider.ts"
import { balanceQuery } from "./queries.ts"

export interface ParleyChatOptions extends ChatSettings {
  /** The chat to show, for example from the address of the page; a new one without it. */
  readonly chatId?: string | undefined
  /** Called with the id of a new chat, for example to put it into the address of the page. */
  readonly onChat?: ((chatId: string) => void) | undefined
}

export interface ParleyChat extends ChatSnapshot {
  /** Sends a message. Resolves to true if it was answered, otherwise to false, and `error` has the reason. */
  readonly send: (text: string) => Promise<boolean>
  /** Ends the reply and its cost; its text so far stays. */
  readonly stop: () => Promise<void>
  /** Asks for another version of a reply: of the last one unless given. */
  readonly regenerate: (messageId?: string) => Promise<boolean>
  /** Sends another version of a question, with its images. */
  readonly edit: (messageId: string, text: string) => Promise<boolean>
  /** Shows the branch with a message, for example with another one of the `versions` of a message. */
  readonly show: (messageId: string) => Promise<boolean>
}

/**
 * A chat: its messages, and a reply as it is written. A reply goes on if the page is left or loaded again, and is joined
 * when the chat is shown again.
 */
export const useParleyChat = (options: ParleyChatOptions = {}): ParleyChat => {
  const { client, queryClient } = useShared()
  const [store] = useState(() => {
    const { queryKey } = balanceQuery(client)
    return new ChatStore({ client, onSpent: () => void queryClient.invalidateQueries({ queryKey }) })
  })
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
    store.hearOfChat(options.onChat)
  })
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot)
  const { chatId } = options
  useEffect(() => {
    // The page puts the id of a new chat into its address, which is shown already.
    if (chatId !== store.snapshot().chatId) void store.open(chatId)
  }, [store, chatId])
  useEffect(() => {
    if (store.isLeft) void store.open(latest.current.chatId)
    return () => store.leave()
  }, [store])
  const send = useCallback((text: string) => store.send(text, settingsOf(latest.current)), [store])
  const regenerate = useCallback(
    (messageId?: string) => store.regenerate(messageId, settingsOf(latest.current)),
    [store]
  )
  const edit = useCallback(
    (messageId: string, text: string) => store.edit(messageId, text, settingsOf(latest.current)),
    [store]
  )
  return { ...snapshot, send, regenerate, edit, show: store.show, stop: store.stop }
}

const settingsOf = ({ documentFilter, documentIds, imageIds, model }: ParleyChatOptions): ChatSettings => ({
  documentFilter,
  documentIds,
  imageIds,
  model
})
