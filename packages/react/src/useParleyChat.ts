import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { type ChatSettings, type ChatSnapshot, ChatStore } from "./ChatStore.ts"
import { useShared } from "./ParleyProvider.ts"
import { balanceQuery } from "./queries.ts"

export interface ParleyChatOptions extends ChatSettings {
  /** The id of the chat to show, for example from the page's address; without it a new chat is shown. */
  readonly chatId?: string | undefined
  /** Called with the id of a new chat, for example to put it into the address of the page. */
  readonly onChat?: ((chatId: string) => void) | undefined
}

export interface ParleyChat extends ChatSnapshot {
  /**
   * Sends a question. Resolves to true if a reply was received completely; otherwise to false, with the reason in
   * `error`.
   */
  readonly send: (text: string) => Promise<boolean>
  /** Stops the reply. The text written so far stays and is charged. */
  readonly stop: () => Promise<void>
  /** Requests another version of a reply; default: of the last one. */
  readonly regenerate: (messageId?: string) => Promise<boolean>
  /** Sends an edited question as another version of a message, with the same images. */
  readonly edit: (messageId: string, text: string) => Promise<boolean>
  /** Shows the branch that contains a message, for example one of a message's other `versions`. */
  readonly show: (messageId: string) => Promise<boolean>
}

/**
 * A chat with its messages and the running reply. The reply continues if the page is left or loaded again, and the hook
 * joins it when the chat is shown again.
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
    // If the page put the id of a new chat into its address, that chat is shown already.
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
