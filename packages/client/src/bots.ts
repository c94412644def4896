import type {
  Bot,
  BotChange,
  BotDraft,
  ConversationList,
  ConversationMessage,
  ConversationMoved,
  ConversationWithMessages,
  CrmDisconnected,
  CrmProvider,
  InboxCounts,
  Operations
} from "./api.ts"
import type { CallOptions, Connection } from "./Connection.ts"

export interface BotCalls {
  list(options?: CallOptions): Promise<ReadonlyArray<Bot>>
  create(draft: BotDraft, options?: CallOptions): Promise<Bot>
  get(botId: string, options?: CallOptions): Promise<Bot>
  update(botId: string, change: BotChange, options?: CallOptions): Promise<Bot>
  delete(botId: string, options?: CallOptions): Promise<void>
  /** Adds a public key to a bot. The bot's other keys keep working. */
  createKey(botId: string, options?: CallOptions): Promise<Bot>
  /** Retires a public key of a bot. The server refuses this for the bot's only key. */
  deleteKey(botId: string, publicKey: string, options?: CallOptions): Promise<Bot>
  conversations(
    botId: string,
    query?: Operations["listConversations"]["query"],
    options?: CallOptions
  ): Promise<ConversationList>
  conversation(
    botId: string,
    conversationId: string,
    query?: Operations["getConversation"]["query"],
    options?: CallOptions
  ): Promise<ConversationWithMessages>
  deleteConversation(botId: string, conversationId: string, options?: CallOptions): Promise<void>
  /** Returns the number of conversations that wait for a person, are open, or are solved. */
  inbox(botId: string, options?: CallOptions): Promise<InboxCounts>
  /** Answers a visitor in the place of the bot. The bot does not answer in this conversation from then on. */
  answer(botId: string, conversationId: string, content: string, options?: CallOptions): Promise<ConversationMessage>
  /** Takes or reopens a conversation (`open`), or ends its hand-over (`solved`). */
  moveConversation(
    botId: string,
    conversationId: string,
    state: "open" | "solved",
    options?: CallOptions
  ): Promise<ConversationMoved>
  /** Returns the CRM providers, with the connections of a bot to each. */
  crm(botId: string, options?: CallOptions): Promise<ReadonlyArray<CrmProvider>>
  disconnectCrm(botId: string, provider: string, options?: CallOptions): Promise<CrmDisconnected>
}

export const botCalls = (connection: Connection): BotCalls => ({
  list: async (options) => (await connection.call("listBots", {}, options)).bots,
  create: (body, options) => connection.call("createBot", { body }, options),
  get: (id, options) => connection.call("getBot", { path: { id } }, options),
  update: (id, body, options) => connection.call("updateBot", { path: { id }, body }, options),
  delete: (id, options) => connection.call("deleteBot", { path: { id } }, options),
  createKey: (id, options) => connection.call("createBotKey", { path: { id } }, options),
  deleteKey: (id, key, options) => connection.call("deleteBotKey", { path: { id, key } }, options),
  conversations: (id, query = {}, options) => connection.call("listConversations", { path: { id }, query }, options),
  conversation: (id, conversationId, query = {}, options) =>
    connection.call("getConversation", { path: { id, conversationId }, query }, options),
  deleteConversation: (id, conversationId, options) =>
    connection.call("deleteConversation", { path: { id, conversationId } }, options),
  inbox: (id, options) => connection.call("getInbox", { path: { id } }, options),
  answer: (id, conversationId, content, options) =>
    connection.call("answerVisitor", { path: { id, conversationId }, body: { content } }, options),
  moveConversation: (id, conversationId, state, options) =>
    connection.call("moveConversation", { path: { id, conversationId }, body: { state } }, options),
  crm: async (id, options) => (await connection.call("listCrmConnections", { path: { id } }, options)).providers,
  disconnectCrm: (id, provider, options) => connection.call("deleteCrmConnection", { path: { id, provider } }, options)
})
