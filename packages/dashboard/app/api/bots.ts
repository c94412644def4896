import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { MessageState, Source } from "./chats.ts"
import { json, load, read, segment, send } from "./request.ts"

/** The settings of a bot that its owner chooses. */
export interface BotSettings {
  readonly displayName: string
  readonly welcomeMessage: string
  /** `#rrggbb`. */
  readonly primaryColor: string
  /** Null for the first of the owner's plan. */
  readonly modelId: string | null
  readonly instructions: string
  readonly documentIds: ReadonlyArray<string>
  /** Sites that may embed the bot; an empty list allows all. */
  readonly allowedSites: ReadonlyArray<string>
  /** Whole credits that this bot may spend a day; null if the owner sets no cap. */
  readonly dailyCap: number | null
  /** Null for a neutral sentence. */
  readonly declineText: string | null
  readonly suggestedQuestions: ReadonlyArray<string>
  /** Visitors see the passages that a reply cites. */
  readonly showSources: boolean
  readonly active: boolean
}

export interface BotKey {
  readonly publicKey: string
  readonly createdAt: string
}

export interface Bot extends BotSettings {
  readonly id: string
  /** Oldest first; one at least. */
  readonly keys: ReadonlyArray<BotKey>
  readonly createdAt: string
  readonly updatedAt: string
}

/** The upper bounds of a bot's settings in the form. */
export const BOT_LIMITS = {
  displayName: 100,
  welcomeMessage: 1_000,
  instructions: 8_000,
  declineText: 1_000,
  suggestedQuestions: 6,
  suggestedQuestion: 200
} as const

/** The person's bots, newest first. */
export const botsQuery = queryOptions({
  queryKey: ["bots"],
  queryFn: async ({ signal }) => (await read<{ readonly bots: ReadonlyArray<Bot> }>("/api/bots", signal)).bots
})

const path = (botId: string): string => `/api/bots/${segment(botId)}`

export const botQuery = (botId: string) =>
  queryOptions({
    queryKey: ["bots", botId],
    queryFn: ({ signal }) => read<Bot>(path(botId), signal)
  })

const bot = async (response: Response): Promise<Bot> => response.json() as Promise<Bot>

export const createBot = async (draft: Partial<BotSettings>): Promise<Bot> =>
  bot(await send("/api/bots", json("POST", draft)))

/** Changes the settings that are named, and leaves the others. */
export const changeBot = async (botId: string, change: Partial<BotSettings>): Promise<Bot> =>
  bot(await send(path(botId), json("PATCH", change)))

export const deleteBot = (botId: string) => send(path(botId), { method: "DELETE" })

/** Adds a public key; those there are keep working. */
export const addBotKey = async (botId: string): Promise<Bot> =>
  bot(await send(`${path(botId)}/keys`, { method: "POST" }))

/** From then on the key names nothing. */
export const retireBotKey = async (botId: string, publicKey: string): Promise<Bot> =>
  bot(await send(`${path(botId)}/keys/${segment(publicKey)}`, { method: "DELETE" }))

/** A conversation of a visitor with a bot. */
export interface Conversation {
  readonly id: string
  /** The beginning of the visitor's first message. */
  readonly firstQuestion: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly messageCount: number
  /** The same for all conversations of one visitor with the bot. */
  readonly visitor: string
  /** The total cost of its replies. */
  readonly credits: number
}

export interface ConversationMessage {
  readonly id: string
  readonly role: "user" | "assistant" | "system"
  readonly content: string
  readonly state: MessageState
  /** The cost of the reply; null if it cost nothing. */
  readonly credits: number | null
  readonly sources: ReadonlyArray<Omit<Source, "headings">>
  readonly createdAt: string
}

export interface ReadConversation extends Conversation {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly nextBefore: string | null
}

interface ConversationPage {
  readonly conversations: ReadonlyArray<Conversation>
  /** A page may have few and not be the last. */
  readonly nextBefore: string | null
}

const CONVERSATIONS = 30

/** A bot's conversations, last used first; or those that have the words searched for. */
export const conversationsQuery = (botId: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ["bots", botId, "conversations", search],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(CONVERSATIONS) })
      if (search !== "") query.set("search", search)
      if (pageParam !== null) query.set("before", pageParam)
      return read<ConversationPage>(`${path(botId)}/conversations?${query}`, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextBefore }) => nextBefore
  })

/** A conversation, its newest messages first page. */
export const conversationQuery = (botId: string, conversationId: string) =>
  infiniteQueryOptions({
    queryKey: ["bots", botId, "conversation", conversationId],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? "" : `?${new URLSearchParams({ before: pageParam })}`
      return read<ReadConversation>(`${path(botId)}/conversations/${segment(conversationId)}${query}`, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextBefore }) => nextBefore
  })

export const deleteConversation = (botId: string, conversationId: string) =>
  send(`${path(botId)}/conversations/${segment(conversationId)}`, { method: "DELETE" })

/** All conversations of a bot: a table with a row per message, or JSON with a line per conversation. */
export const exportConversations = (botId: string, format: "csv" | "jsonl") =>
  load(`${path(botId)}/conversations.${format}`)
