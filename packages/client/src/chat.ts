import type { Chat, ChatDocuments, ChatList, ChatRequest, ChatWithMessages, Message, Operations } from "./api.ts"
import { type CallOptions, type Connection, wait } from "./Connection.ts"
import { ParleyError } from "./ParleyError.ts"
import { type TextStream, textOf } from "./textStream.ts"

export interface SendOptions extends CallOptions {
  /** The person's text. Without it the server writes another version of the reply to the message `parentMessageId`. */
  readonly message?: string | undefined
  /**
   * The ids of images from `images.upload` that belong to the message, at most 4. Only models with `seesImages` see
   * them.
   */
  readonly imageIds?: ReadonlyArray<string> | undefined
  /** The chat to continue. Without it a new chat begins. */
  readonly chatId?: string | undefined
  /**
   * The message after which the new one is placed, beside existing followers; null to place it as another first
   * message. Default: the end of the newest branch.
   */
  readonly parentMessageId?: string | null | undefined
  /** The documents that the reply may read. */
  readonly documentIds?: ReadonlyArray<string> | undefined
  readonly documentFilter?: ChatRequest["documentFilter"] | undefined
  /** The project in which a new chat is placed. */
  readonly projectId?: string | undefined
  /** The id of a model from `models()`; default: the first one. */
  readonly model?: string | undefined
  /** Names the request, so that repeating it with the same key is charged once. Default: a new key for each request. */
  readonly idempotencyKey?: string | undefined
  /**
   * With `continue` the server writes and charges the whole reply even if this client disconnects; `chat.join` joins
   * the reply.
   */
  readonly onDisconnect?: "end" | "continue" | undefined
}

/** A reply that is being written. */
export interface StreamedReply {
  /** The text as it arrives. The stream fails if the reply breaks off. */
  readonly stream: TextStream
  readonly chatId: string
  /** The id of the reply within the chat. */
  readonly messageId: string
  /** Resolves with the complete message, its sources, receipt and cost, after the stream has ended. */
  readonly done: Promise<Message>
}

export interface JoinOptions extends CallOptions {
  /** The id of the reply to join; default: the reply that began last. */
  readonly messageId?: string | undefined
}

export interface ChatCalls {
  /** Sends a message, and resolves with the first words of the reply. */
  send(options: SendOptions): Promise<StreamedReply>
  /** Joins a running reply of a chat, from its first word on. Resolves with undefined if no reply is running. */
  join(chatId: string, options?: JoinOptions): Promise<StreamedReply | undefined>
  list(query?: Operations["listChats"]["query"], options?: CallOptions): Promise<ChatList>
  /**
   * Returns a chat with its newest messages, or with those before `before`. `leaf` names a message of the branch to
   * return.
   */
  get(chatId: string, query?: Operations["getChat"]["query"], options?: CallOptions): Promise<ChatWithMessages>
  rename(chatId: string, title: string, options?: CallOptions): Promise<Chat>
  delete(chatId: string, options?: CallOptions): Promise<void>
  /** Stops the replies of a chat that are running without a reader; the text written so far is charged. */
  stop(chatId: string, options?: CallOptions): Promise<void>
  /** Sets the documents that are stored with a chat, and replaces the previous ones. */
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
  // Callers that read only the stream get the error there, so an unhandled rejection of `done` is prevented.
  done.catch(() => undefined)
  return { stream, chatId, messageId, done }
}

interface StoredReply extends CallOptions {
  readonly chatId: string
  readonly messageId: string
}

/** The number of times that the client looks for a reply that has ended but is not stored yet. */
const LOOKS = 10
const LOOK_EVERY_MS = 300

const storedMessage = async (connection: Connection, { chatId, messageId, signal }: StoredReply): Promise<Message> => {
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await wait(LOOK_EVERY_MS, signal)
    const query = { limit: 20, leaf: messageId }
    // The server stores the message while it sends the first words, so the chat may not be found yet.
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

/** Returns a new idempotency key. Pages without TLS may lack `crypto.randomUUID`, so they use another way. */
const newKey = (): string =>
  globalThis.crypto?.randomUUID?.() ?? Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join("-")
