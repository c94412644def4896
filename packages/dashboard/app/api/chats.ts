import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Receipt } from "./billing.ts"
import { json, read, segment, send } from "./request.ts"

export interface ChatSummary {
  readonly id: string
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** A passage that the model received, with its number in the reply's citations. */
export interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  readonly page: number | null
  /** UTF-16 offsets in the document's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** The headings above the passage's start, then those that begin within it. */
  readonly headings: ReadonlyArray<Heading>
}

interface Heading {
  readonly level: number
  readonly title: string
  /** UTF-16 offset in the document's text. */
  readonly start: number
}

export type MessageState = "complete" | "streaming" | "stopped" | "failed"

export interface StoredMessage {
  readonly id: string
  readonly role: "user" | "assistant" | "system"
  readonly content: string
  readonly state: MessageState
  readonly model: string | null
  /** The cost of the reply, after it was charged. */
  readonly credits: number | null
  readonly receipt: Receipt | null
  readonly sources: ReadonlyArray<Source>
  /** Named documents of which the model read nothing. */
  readonly unread: ReadonlyArray<string>
  readonly createdAt: string
}

export interface StoredChat extends ChatSummary {
  readonly documentIds: ReadonlyArray<string>
  /** The reply that is being written at this moment, and can be joined. */
  readonly running?: { readonly messageId: string; readonly startedAt: string } | null
  readonly messages: ReadonlyArray<StoredMessage>
  readonly nextBefore: string | null
}

interface ChatPage {
  readonly chats: ReadonlyArray<ChatSummary>
  readonly total: number
  readonly offset: number
}

const PAGE_CHATS = 30

/** The person's chats, last used first: all, or those that a search finds. */
export const chatsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ["chats", search],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(PAGE_CHATS), offset: String(pageParam) })
      if (search !== "") query.set("search", search)
      return read<ChatPage>(`/api/chats?${query}`, signal)
    },
    initialPageParam: 0,
    getNextPageParam: ({ chats, offset, total }) =>
      offset + chats.length < total && chats.length > 0 ? offset + chats.length : undefined
  })

/** The key of every list of chats, for every search. */
export const CHATS_KEY = ["chats"] as const

export interface MessagePage {
  /** Only messages before this one. */
  readonly before?: string
  readonly limit?: number
}

/** A chat with its newest messages, or with those before one of them. */
export const readChat = (chatId: string, { before, limit }: MessagePage = {}, signal?: AbortSignal) => {
  const query = new URLSearchParams({
    ...(before === undefined ? {} : { before }),
    ...(limit === undefined ? {} : { limit: String(limit) })
  })
  return read<StoredChat>(`/api/chats/${segment(chatId)}${query.size === 0 ? "" : `?${query}`}`, signal)
}

export const chatQuery = (chatId: string) =>
  queryOptions({ queryKey: ["chat", chatId], queryFn: ({ signal }) => readChat(chatId, {}, signal), gcTime: 0 })

export const renameChat = (chatId: string, title: string) =>
  send(`/api/chats/${segment(chatId)}`, json("PATCH", { title }))

export const deleteChat = (chatId: string) => send(`/api/chats/${segment(chatId)}`, { method: "DELETE" })

/** Stores the chat's documents, for when the person opens it again; also if they leave the page at once. */
export const keepChatDocuments = (chatId: string, documentIds: ReadonlyArray<string>) =>
  send(`/api/chats/${segment(chatId)}/documents`, { ...json("PUT", { documentIds }), keepalive: true })

/** Stops the running reply of a chat, and its cost. Without a running reply it does nothing. */
export const endReply = async (chatId: string): Promise<void> => {
  await send(replyStreamPath(chatId), { method: "DELETE" }).catch(() => undefined)
}

/** The address at which a running reply can be read from its beginning, and stopped. */
export const replyStreamPath = (chatId: string): string => `/api/chats/${segment(chatId)}/stream`
