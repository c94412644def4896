import type { Chat, ChatDocuments, ChatList, ChatRequest, ChatWithMessages, Message, Operations } from "./api.ts"
import { type CallOptions, type Connection, wait } from "./Connection.ts"
import { ParleyError } from "./ParleyError.ts"
import { type TextStream, textOf } from "./textStream.ts"

export interface SendOptions extends CallOptions {
  /** The text of the person; without it the reply to `parentMessageId` gets another version. */
  readonly message?: string | undefined
  /** Ids of images of `images.upload`, which a model with `seesImages` sees with the text: at most 4. */
  readonly imageIds?: ReadonlyArray<string> | undefined
  /** The chat to continue; a new one begins without it. */
  readonly chatId?: string | undefined
  /**
   * The message of the chat that this one follows, beside those that follow it already; null for another first message.
   * The end of the newest branch unless given.
   */
  readonly parentMessageId?: string | null | undefined
  /** The documents that the reply may read. */
  readonly documentIds?: ReadonlyArray<string> | undefined
  readonly documentFilter?: ChatRequest["documentFilter"] | undefined
  /** The project in which a new chat begins. */
  readonly projectId?: string | undefined
  /** A model of `models()`; the first one unless given. */
  readonly model?: string | undefined
  /** Names the request: the same key is charged once. The client makes one unless given. */
  readonly idempotencyKey?: string | undefined
  /** `continue`: the reply is written to its end, and charged, even if this client leaves; `chat.join` joins it. */
  readonly onDisconnect?: "end" | "continue" | undefined
}

/** A reply that is being written. */
export interface StreamedReply {
  /** The text as it is written. It ends with an error if the reply breaks off. */
  readonly stream: TextStream
  readonly chatId: string
  /** The id of the reply within the chat. */
  readonly messageId: string
  /** The whole message with its sources, receipt and cost, after the stream has ended. */
  readonly done: Promise<Message>
}

export interface JoinOptions extends CallOptions {
  /** The reply to join; the one begun last unless given. */
  readonly messageId?: string | undefined
}

export interface ChatCalls {
  /** Sends a message, and resolves with the first words of the reply. */
  send(options: SendOptions): Promise<StreamedReply>
  /** Joins a running reply of a chat from its first word; undefined if none is running. */
  join(chatId: string, options?: JoinOptions): Promise<StreamedReply | undefined>
  list(query?: Operations["listChats"]["query"], options?: CallOptions): Promise<ChatList>
  /** A chat with its newest messages, or with those before `before`; of the branch with the message `leaf`, if given. */
  get(chatId: string, query?: Operations["getChat"]["query"], options?: CallOptions): Promise<ChatWithMessages>
  rename(chatId: string, title: string, options?: CallOptions): Promise<Chat>
  delete(chatId: string, options?: CallOptions): Promise<void>
  /** Ends the replies of a chat that continue without their reader, and their cost. */
  stop(chatId: string, options?: CallOptions): Promise<void>
  /** Stores documents with a chat, in place of the previous ones. */
  setDocuments(chatId: string, documentIds: ReadonlyArray<string>, options?: CallOptions): Promise<ChatDocuments>
}

export const chatCalls = (connection: Connection): ChatCalls => ({
  send: async (options) => {
    const { idempotencyKey = newKey(), onDisconnect = "end", signal } = options
    const headers = { "idempotency-key": idempotencyKey, "x-on-disconnect": onDisconnect }
    const body = requestOf(options)
    return replyOf(
      connection,
      await connection.call("sendMessage", { body }, { headers, signal, isIdempotent: true }),
      signal
    )
  },
  join: async (chatId, { messageId, signal } = {}) => {
    const response = await connection.call("joinReply", { path: { id: chatId }, query: { messageId } }, { signal })
    return response === undefined ? undefined : replyOf(connection, response, signal)
  },
  list: (query = {}, options) => connection.call("listChats", { query }, options),
  get: (chatId, query = {}, options) => connection.call("getChat", { path: { id: chatId }, query }, options),
  rename: (chatId, title, options) => connection.call("updateChat", { path: { id: chatId }, body: { title } }, options),
  delete: (chatId, options) => connection.call("deleteChat", { path: { id: chatId } }, options),
  stop: (chatId, options) => connection.call("stopReply", { path: { id: chatId } }, options),
  setDocuments: (chatId, documentIds, options) =>
    connection.call("setChatDocuments", { path: { id: chatId }, body: { documentIds } }, options)
})

const requestOf = (options: SendOptions): ChatRequest => {
  const { chatId, documentFilter, documentIds, imageIds, message, model, parentMessageId, projectId } = options
  return {
    messages:
      message === undefined
        ? []
        : [{ role: "user", content: message, ...(imageIds === undefined ? {} : { imageIds }) }],
    ...(chatId === undefined ? {} : { chatId }),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
    ...(documentIds === undefined ? {} : { documentIds }),
    ...(documentFilter === undefined ? {} : { documentFilter }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(model === undefined ? {} : { modelId: model })
  }
}

const replyOf = (connection: Connection, response: Response, signal: AbortSignal | undefined): StreamedReply => {
  const chatId = response.headers.get("x-chat-id") ?? ""
  const messageId = response.headers.get("x-message-id") ?? ""
  const { ended, stream } = textOf(response, signal)
  const done = ended.then(() => storedMessage(connection, { chatId, messageId, signal }))
  // A caller that reads the stream alone has its error there.
  done.catch(() => undefined)
  return { stream, chatId, messageId, done }
}

interface StoredReply extends CallOptions {
  readonly chatId: string
  readonly messageId: string
}

/** Times for which the storing of a reply that has ended is waited for. */
const LOOKS = 10
const LOOK_EVERY_MS = 300

const storedMessage = async (connection: Connection, { chatId, messageId, signal }: StoredReply): Promise<Message> => {
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await wait(LOOK_EVERY_MS, signal)
    const query = { limit: 20, leaf: messageId }
    // The message is stored beside the reply's first words.
    const chat = await connection.call("getChat", { path: { id: chatId }, query }, { signal }).catch(missing)
    const messages = chat?.messages ?? []
    const found = messages.find(({ id }) => id === messageId)
    if (found !== undefined && found.state !== "streaming") return found
  }
  throw new ParleyError({ code: "incomplete_reply", message: "The reply ended, and its message is not stored." })
}

const missing = (error: unknown): undefined => {
  if (!(error instanceof ParleyError) || error.status !== 404) throw error
}

/** A new key: random where the platform has it, which pages without TLS may not. */
const newKey = (): string =>
  globalThis.crypto?.randomUUID?.() ?? Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join("-")
