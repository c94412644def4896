import type { Message, ParleyClient, ParleyError, StreamedReply, SendOptions } from "@parley/client"
import { parleyError } from "./parleyError.ts"

/** `loading`: the chat is being read; `sending`: no word of the reply has come; `streaming`: the reply is being written. */
export type ChatStatus = "loading" | "ready" | "sending" | "streaming"

/** What a page shows of a chat. */
export interface ChatSnapshot {
  /** Undefined until the first reply of a new chat begins. */
  readonly chatId: string | undefined
  /** Oldest first. The sources, the receipt and the cost of a reply are there when it has ended. */
  readonly messages: ReadonlyArray<Message>
  readonly status: ChatStatus
  /** The failure of the last call; undefined again with the next one. */
  readonly error: ParleyError | undefined
}

/** The settings of the next message. */
export type ChatSettings = Pick<SendOptions, "documentIds" | "documentFilter" | "imageIds" | "model">

interface ChatStoreOptions {
  readonly client: ParleyClient
  readonly onSpent: () => void
}

/** The pauses between two tries to join a reply again. */
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 4_000

/** Failures without an answer, and those of the server: another try may not meet them. */
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

/** One chat of a page: its messages, and the reply that is being written. Replies go on without the page. */
export class ChatStore {
  readonly #options: ChatStoreOptions
  readonly #listeners = new Set<() => void>()
  #snapshot: ChatSnapshot = EMPTY
  /** Ends what is going on, for another chat or without the page. */
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

  /** Calls `listener` with the id of a new chat, in place of an earlier listener. */
  hearOfChat(listener: ((chatId: string) => void) | undefined): void {
    this.#hear = listener
  }

  readonly snapshot = (): ChatSnapshot => this.#snapshot

  /** Shows a chat, or an empty new one, and joins its running reply. */
  async open(chatId: string | undefined): Promise<void> {
    this.#begin()
    this.#snapshot = EMPTY
    this.#change({})
    if (chatId !== undefined) await this.#read(chatId)
  }

  /** Reads a branch, and joins its running reply. */
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

  /** Sends a message. Resolves to true if it was answered, otherwise to false, and `error` has the reason. */
  readonly send = (text: string, settings?: ChatSettings): Promise<boolean> =>
    this.#ask(this.#snapshot.messages, text, settings)

  /** Sends another version of a question, with its images. */
  readonly edit = async (messageId: string, text: string, settings?: ChatSettings): Promise<boolean> => {
    const before = this.#before(({ id }) => id === messageId)
    if (before === undefined) return false
    const { imageIds } = this.#snapshot.messages[before.length] ?? {}
    return this.#ask(before, text, { ...settings, imageIds })
  }

  /** Asks for another version of a reply: of the last one unless given. */
  readonly regenerate = async (messageId?: string, settings?: ChatSettings): Promise<boolean> => {
    const before = this.#before(({ id, role }) => role === "assistant" && id === (messageId ?? id))
    return before === undefined ? false : this.#ask(before, undefined, settings)
  }

  /** Shows the branch with a message, for example with another one of the `versions` of a message. */
  readonly show = async (messageId: string): Promise<boolean> => {
    const { chatId, status } = this.#snapshot
    if (status !== "ready" || chatId === undefined) return false
    return this.#read(chatId, messageId)
  }

  /** The shown messages before the last one that is meant. */
  #before(isMeant: (message: Message) => boolean): ReadonlyArray<Message> | undefined {
    const { messages } = this.#snapshot
    const place = messages.findLastIndex(isMeant)
    return place < 0 ? undefined : messages.slice(0, place)
  }

  /** Asks after the messages `before`, which are those of the page or the first of them. */
  async #ask(before: ReadonlyArray<Message>, text: string | undefined, settings: ChatSettings = {}): Promise<boolean> {
    const { chatId, messages, status } = this.#snapshot
    if (status !== "ready") return false
    const signal = this.#begin()
    const isVersion = before.length < messages.length
    // The first shown message may have earlier ones.
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
          // The server has stored nothing.
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

  /** Ends the reply and its cost; its text so far stays. */
  readonly stop = async (): Promise<void> => {
    const { chatId, status } = this.#snapshot
    // A reply has a name, by which it is stopped, when it has begun.
    this.#isStopping = status === "sending"
    if (chatId === undefined || status !== "streaming") return
    try {
      await this.#options.client.chat.stop(chatId)
    } catch (error) {
      this.#change({ error: parleyError(error) })
    }
  }

  /** True after `leave`, until another call. */
  get isLeft(): boolean {
    return this.#leaving.signal.aborted
  }

  /** Ends the reading; the server goes on. */
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

  /** Runs a call; its failure is shown, unless the chat was left meanwhile. */
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
   * After a reply broke off: joins it again, as soon as the server answers. Undefined if it has ended meanwhile, as it is
   * shown then; rejects with `failure` if the model failed, or the server cannot be asked.
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
    // The stored reply says the id under which its question is stored.
    const named = question === undefined || message.parentId === null ? [] : [{ ...question, id: message.parentId }]
    this.#change({ messages: [...before.slice(0, -1), ...named, message], status })
  }

  #change(changed: Partial<ChatSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
