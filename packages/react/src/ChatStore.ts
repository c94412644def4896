import type { Message, ParleyClient, ParleyError, StreamedReply, SendOptions } from "@parley/client"
import { parleyError } from "./parleyError.ts"

/**
 * `loading`: the chat is being read. `sending`: no word of the reply has arrived. `streaming`: the reply is being
 * written.
 */
export type ChatStatus = "loading" | "ready" | "sending" | "streaming"

/** The state of a chat that a page shows. */
export interface ChatSnapshot {
  /** The chat's id; undefined until the first reply of a new chat begins. */
  readonly chatId: string | undefined
  /** The messages, oldest first. The sources, receipt and cost of a reply are present after it has ended. */
  readonly messages: ReadonlyArray<Message>
  readonly status: ChatStatus
  /** The failure of the last call. The next call resets it to undefined. */
  readonly error: ParleyError | undefined
}

/** The settings of the next question. */
export type ChatSettings = Pick<SendOptions, "documentIds" | "documentFilter" | "imageIds" | "model">

interface ChatStoreOptions {
  readonly client: ParleyClient
  readonly onSpent: () => void
}

/** The pauses between two tries to rejoin a reply: the first, then up to the longest. */
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 4_000

/** True for failures that another try may avoid: those without a response, and those of the server itself. */
const mayPass = (error: unknown): boolean => {
  const { status } = parleyError(error)
  return status === undefined || status >= 500
}

const EMPTY: ChatSnapshot = { chatId: undefined, messages: [], status: "ready", error: undefined }

const localMessage = (
  role: Message["role"],
  content: string,
  placed: Pick<Message, "id" | "parentId" | "imageIds">
): Message => ({
  ...placed,
  role,
  content,
  state: role === "user" ? "complete" : "streaming",
  model: null,
  rating: null,
  credits: null,
  receipt: null,
  sources: [],
  unread: [],
  createdAt: new Date().toISOString()
})

/**
 * A chat that a page shows: its messages and the running reply. Replies continue on the server even if the page closes.
 */
export class ChatStore {
  readonly #options: ChatStoreOptions
  readonly #listeners = new Set<() => void>()
  #snapshot: ChatSnapshot = EMPTY
  /** Aborts the running calls if another chat is shown or the page closes. */
  #leaving = new AbortController()
  #isStopping = false
  #hear: ((chatId: string) => void) | undefined
  #sent = 0

  constructor(options: ChatStoreOptions) {
    this.#options = options
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Sets the function that is called with the id of a new chat; it replaces the previous one. */
  hearOfChat(listener: ((chatId: string) => void) | undefined): void {
    this.#hear = listener
  }

  readonly snapshot = (): ChatSnapshot => this.#snapshot

  /** Shows a chat and joins its running reply; shows an empty new chat without `chatId`. */
  async open(chatId: string | undefined): Promise<void> {
    this.#begin()
    this.#snapshot = EMPTY
    this.#change({})
    if (chatId !== undefined) await this.#read(chatId)
  }

  /** Reads the branch that contains the message `leaf`, and joins its running reply. */
  #read(chatId: string, leaf?: string): Promise<boolean> {
    const signal = this.#begin()
    this.#change({ chatId, status: "loading" })
    return this.#guard(signal, async () => {
      const { running } = await this.#load(chatId, signal, leaf)
      const { messageId } = running ?? {}
      const reply = running === null ? undefined : await this.#options.client.chat.join(chatId, { messageId, signal })
      if (reply !== undefined) await this.#follow(reply, signal)
      else if (running !== null) await this.#load(chatId, signal, leaf)
    })
  }

  /**
   * Sends a question. Resolves to true if a reply was received completely; otherwise to false, with the reason in
   * `error`.
   */
  readonly send = (text: string, settings?: ChatSettings): Promise<boolean> =>
    this.#ask(this.#snapshot.messages, text, settings)

  /** Sends an edited question as another version of a message, with the same images. */
  readonly edit = async (messageId: string, text: string, settings?: ChatSettings): Promise<boolean> => {
    const before = this.#before(({ id }) => id === messageId)
    if (before === undefined) return false
    const { imageIds } = this.#snapshot.messages[before.length] ?? {}
    return this.#ask(before, text, { ...settings, imageIds })
  }

  /** Requests another version of a reply; default: of the last one. */
  readonly regenerate = async (messageId?: string, settings?: ChatSettings): Promise<boolean> => {
    const before = this.#before(({ id, role }) => role === "assistant" && id === (messageId ?? id))
    return before === undefined ? false : this.#ask(before, undefined, settings)
  }

  /** Shows the branch that contains a message, for example one of a message's other `versions`. */
  readonly show = async (messageId: string): Promise<boolean> => {
    const { chatId, status } = this.#snapshot
    if (status !== "ready" || chatId === undefined) return false
    return this.#read(chatId, messageId)
  }

  /** The shown messages before the last message that `isMeant` accepts; undefined if it accepts none. */
  #before(isMeant: (message: Message) => boolean): ReadonlyArray<Message> | undefined {
    const { messages } = this.#snapshot
    const place = messages.findLastIndex(isMeant)
    return place < 0 ? undefined : messages.slice(0, place)
  }

  /** Sends a question after the messages `before`: all shown messages, or the first ones of them. */
  async #ask(before: ReadonlyArray<Message>, text: string | undefined, settings: ChatSettings = {}): Promise<boolean> {
    const { chatId, messages, status } = this.#snapshot
    if (status !== "ready") return false
    const signal = this.#begin()
    const isVersion = before.length < messages.length
    // The first shown message may have a parent that is not shown.
    const parentId = before.at(-1)?.id ?? messages[0]?.parentId ?? null
    const parentMessageId = chatId === undefined ? undefined : parentId
    const { imageIds } = settings
    const sent = { id: `sent-${++this.#sent}`, parentId, ...(imageIds === undefined ? {} : { imageIds }) }
    const question = text === undefined ? [] : [localMessage("user", text, sent)]
    this.#change({ messages: [...before, ...question], status: "sending" })
    return this.#guard(signal, async () => {
      const reply = await this.#options.client.chat
        .send({ ...settings, message: text, chatId, parentMessageId, onDisconnect: "continue", signal })
        .catch((error: unknown) => {
          // The server refused the question and stored nothing, so the former messages are shown again.
          if (!signal.aborted) this.#change({ messages })
          throw error
        })
      if (chatId === undefined) {
        this.#change({ chatId: reply.chatId })
        this.#hear?.(reply.chatId)
      }
      if (this.#isStopping) await this.#options.client.chat.stop(reply.chatId, { signal })
      await this.#follow(reply, signal)
      if (isVersion && !signal.aborted) await this.#load(reply.chatId, signal, reply.messageId)
    })
  }

  /** Stops the reply. The text written so far stays and is charged. */
  readonly stop = async (): Promise<void> => {
    const { chatId, status } = this.#snapshot
    // A reply is stopped by its chat's id, which a new chat gets only when the reply begins; until then the wish is
    // noted.
    this.#isStopping = status === "sending"
    if (chatId === undefined || status !== "streaming") return
    try {
      await this.#options.client.chat.stop(chatId)
    } catch (error) {
      this.#change({ error: parleyError(error) })
    }
  }

  /** True after `leave`, until the next call. */
  get isLeft(): boolean {
    return this.#leaving.signal.aborted
  }

  /** Stops reading. The reply continues on the server. */
  leave(): void {
    this.#leaving.abort()
  }

  #begin(): AbortSignal {
    this.leave()
    this.#leaving = new AbortController()
    this.#isStopping = false
    this.#change({ error: undefined })
    return this.#leaving.signal
  }

  /** Runs a call and shows its failure, unless the page has left the chat meanwhile. */
  async #guard(signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      if (!signal.aborted) this.#change({ status: "ready" })
      return true
    } catch (cause) {
      const error = parleyError(cause)
      if (!signal.aborted) this.#change({ status: "ready", error })
      return false
    }
  }

  async #load(chatId: string, signal: AbortSignal, leaf?: string) {
    const chat = await this.#options.client.chat.get(chatId, leaf === undefined ? {} : { leaf }, { signal })
    if (!signal.aborted) this.#change({ messages: chat.messages })
    return chat
  }

  async #follow({ chatId, done, messageId, stream }: StreamedReply, signal: AbortSignal): Promise<void> {
    let content = ""
    const parentId = this.#snapshot.messages.at(-1)?.id ?? null
    try {
      for await (const piece of stream) {
        content += piece
        if (!signal.aborted) this.#show(localMessage("assistant", content, { id: messageId, parentId }), "streaming")
      }
      const message = await done
      if (!signal.aborted) this.#show(message, "ready")
    } catch (error) {
      if (signal.aborted) throw error
      const again = await this.#joinAgain(chatId, messageId, signal, error)
      if (again !== undefined) await this.#follow(again, signal)
    } finally {
      this.#options.onSpent()
    }
  }

  /**
   * As soon as the server answers, rejoins a reply that broke off. Resolves with undefined if the reply has ended
   * meanwhile; it is shown then. Rejects with `failure` if the model failed or the server cannot be asked.
   */
  async #joinAgain(chatId: string, messageId: string, signal: AbortSignal, failure: unknown) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const stored = await this.#load(chatId, signal, messageId).catch((error: unknown) => {
        if (signal.aborted || !mayPass(error)) throw failure
      })
      const state = stored?.messages.find(({ id }) => id === messageId)?.state
      if (state === "complete" || state === "stopped") return undefined
      if (stored?.running?.messageId === messageId) {
        const reply = await this.#options.client.chat.join(chatId, { messageId, signal }).catch(() => undefined)
        if (reply !== undefined) return reply
      } else if (stored !== undefined && state !== "streaming") throw failure
      await new Promise((resolve) => setTimeout(resolve, pause))
      if (signal.aborted) throw failure
    }
  }

  #show(message: Message, status: ChatStatus): void {
    const { messages } = this.#snapshot
    const place = messages.findIndex(({ id }) => id === message.id)
    const before = messages.slice(0, place < 0 ? messages.length : place)
    const question = before.at(-1)
    // `parentId` of a stored reply is the id under which the server stored the question.
    const named = question === undefined || message.parentId === null ? [] : [{ ...question, id: message.parentId }]
    this.#change({ messages: [...before.slice(0, -1), ...named, message], status })
  }

  #change(changed: Partial<ChatSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
