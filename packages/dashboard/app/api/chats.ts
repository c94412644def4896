import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

export type {
  ListedChat as ChatSummary,
  ChatWithMessages as StoredChat,
  Message as StoredMessage,
  Source
} from "@parley/client"

const PAGE_CHATS = 30

/** The person's chats, last used first: all, or those that contain the searched words. */
export const chatsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ["chats", search],
    queryFn: ({ pageParam: offset, signal }) =>
      parley.chat.list({ limit: PAGE_CHATS, offset, search: search || undefined }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ chats, offset, total }) =>
      offset + chats.length < total && chats.length > 0 ? offset + chats.length : undefined
  })

/** The common key of all queries for lists of chats. */
export const CHATS_KEY = ["chats"] as const
/** The common key of all queries for a chat with its messages. */
export const CHAT_KEY = ["chat"] as const

/**
 * The chat that was used last, and the number of all chats. The value changes if any device of the person uses a chat.
 */
export const newestChatQuery = queryOptions({
  queryKey: ["newest-chat"],
  queryFn: ({ signal }) => parley.chat.list({ limit: 1 }, { signal })
})

export const chatQuery = (chatId: string) =>
  queryOptions({
    queryKey: [...CHAT_KEY, chatId],
    queryFn: ({ signal }) => parley.chat.get(chatId, {}, { signal }),
    gcTime: 0
  })

/**
 * Stores the documents of a chat, which then has them when it is opened again. The request also completes if the person
 * leaves the page at once.
 */
export const keepChatDocuments = (chatId: string, documentIds: ReadonlyArray<string>) =>
  parley.call("setChatDocuments", { path: { id: chatId }, body: { documentIds } }, { keepalive: true })

/** Stops the running reply of a chat, so that its cost does not grow. Without a running reply it does nothing. */
export const endReply = (chatId: string): Promise<void> => parley.chat.stop(chatId).catch(() => undefined)
