import type { BotDraft } from "@parley/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { HandoverState } from "./inbox.ts"
import { parley } from "./parley.ts"

/** The settings of a bot that its owner chooses. */
export type BotSettings = Required<BotDraft>

export type BotLanguage = keyof BotSettings["translations"]
export type WelcomeCard = BotSettings["welcomeCards"][number]
export type BotTexts = NonNullable<BotSettings["translations"][BotLanguage]>

/** The languages of the widget: a bot can have its texts in each of them. */
export const BOT_LANGUAGES: ReadonlyArray<BotLanguage> = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ja", "ar"]

/** The upper bounds of a bot's settings that the form enforces. */
export const BOT_LIMITS = {
  displayName: 100,
  welcomeMessage: 1_000,
  instructions: 8_000,
  declineText: 1_000,
  suggestedQuestions: 6,
  suggestedQuestion: 200,
  welcomeCards: 6,
  cardTitle: 80,
  cardText: 200,
  cardLink: 2_000,
  personName: 100,
  launcherText: 30
} as const

/** The person's bots, newest first. */
export const botsQuery = queryOptions({
  queryKey: ["bots"],
  queryFn: ({ signal }) => parley.bots.list({ signal })
})

export const botQuery = (botId: string) =>
  queryOptions({
    queryKey: ["bots", botId],
    queryFn: ({ signal }) => parley.bots.get(botId, { signal })
  })

/** The sites whose pages loaded the bot's widget or tried to. */
export const sitesQuery = (botId: string) =>
  queryOptions({
    queryKey: ["bots", botId, "sites"],
    queryFn: ({ signal }) => parley.call("listBotSites", { path: { id: botId } }, { signal })
  })

const CONVERSATIONS = 30

/** A bot's conversations, last used first: those in a state, or those that contain the searched words. */
export const conversationsQuery = (botId: string, search: string, state?: HandoverState) =>
  infiniteQueryOptions({
    queryKey: ["bots", botId, "conversations", search, state],
    queryFn: ({ pageParam: before, signal }) =>
      parley.bots.conversations(
        botId,
        { limit: CONVERSATIONS, search: search || undefined, state, before },
        { signal }
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextBefore }) => nextBefore
  })

/** A conversation with its messages, page by page from the newest messages on. */
export const conversationQuery = (botId: string, conversationId: string) =>
  infiniteQueryOptions({
    queryKey: ["bots", botId, "conversation", conversationId],
    queryFn: ({ pageParam: before, signal }) => parley.bots.conversation(botId, conversationId, { before }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextBefore }) => nextBefore
  })

/**
 * Exports all conversations of a bot: as a table with a row for each message, or as JSON with a line for each
 * conversation.
 */
export const exportConversations = async (botId: string, format: "csv" | "jsonl"): Promise<Blob> => {
  const id = format === "csv" ? "exportConversationTable" : "exportConversationLines"
  return (await parley.call(id, { path: { id: botId } })).blob()
}

/** The CRM providers of the server, with the bot's connection to each. */
export const crmQuery = (botId: string) =>
  queryOptions({
    queryKey: ["bots", botId, "crm"],
    queryFn: ({ signal }) => parley.bots.crm(botId, { signal })
  })

/** The address that begins a connection to a CRM: the server redirects the browser to the provider's page. */
export const connectPath = (botId: string, provider: string): string =>
  `/api/crm/${encodeURIComponent(provider)}/connect?${new URLSearchParams({ botId })}`
