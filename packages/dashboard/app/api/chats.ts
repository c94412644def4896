import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Receipt } from "./billing.ts"
import { json, read, segment, send } from "./request.ts"

export interface ChatSummary {
  readonly id: string
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** A passage that was given to the model, numbered as the reply cites it. */
export interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  readonly page: number | null
  /** UTF-16 offsets in the document's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Those the passage stands under where it starts, then those that begin in it. */
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
  /** What the reply cost, once it is charged. */
  readonly credits: number | null
  readonly receipt: Receipt | null
  readonly sources: ReadonlyArray<Source>
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

/** Every list of chats, whatever was searched for. */
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

/** Keeps documents with the chat, for the person who opens it again. */
export const keepChatDocuments = (chatId: string, documentIds: ReadonlyArray<string>) =>
  send(`/api/chats/${segment(chatId)}/documents`, json("PUT", { documentIds }))

/** Ends what is being written in a chat, and its bill. Where nothing is, nothing happens. */
export const endReply = async (chatId: string): Promise<void> => {
  await send(replyStreamPath(chatId), { method: "DELETE" }).catch(() => undefined)
}

/** Where a reply that is being written can be read from its beginning, and ended. */
export const replyStreamPath = (chatId: string): string => `/api/chats/${segment(chatId)}/stream`
