import type { Message, ParleyClient, ParleyError, StreamedReply, SendOptions } from "@parley/client"
import { parleyError } from "./useLoaded.ts"

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
export type ChatSettings = Pick<SendOptions, "documentIds" | "documentFilter" | "model">

interface ChatStoreOptions {
  readonly client: ParleyClient
  readonly onSpent: () => void
}

const EMPTY: ChatSnapshot = { chatId: undefined, messages: [], status: "ready", error: undefined }

const localMessage = (role: Message["role"], content: string, id: string): Message => ({
  id,
  role,
  content,
  state: role === "user" ? "complete" : "streaming",
  model: null,
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
    const signal = this.#begin()
    this.#snapshot = EMPTY
    this.#change(chatId === undefined ? {} : { chatId, status: "loading" })
    if (chatId === undefined) return
    await this.#guard(signal, async () => {
      const { running } = await this.#load(chatId, signal)
      const reply = running === null ? undefined : await this.#options.client.chat.join(chatId, { signal })
      if (reply !== undefined) await this.#follow(reply, signal)
      else if (running !== null) await this.#load(chatId, signal)
    })
  }

  /** Sends a message. Resolves to true if it was answered, otherwise to false, and `error` has the reason. */
  readonly send = async (text: string, settings: ChatSettings = {}): Promise<boolean> => {
    const { chatId, messages, status } = this.#snapshot
    if (status !== "ready") return false
    const signal = this.#begin()
    const question = localMessage("user", text, `sent-${++this.#sent}`)
    this.#change({ messages: [...messages, question], status: "sending" })
    return this.#guard(signal, async () => {
      const reply = await this.#options.client.chat
        .send({ ...settings, message: text, chatId, onDisconnect: "continue", signal })
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
    })
  }

  /** Sends the last question again. */
  readonly regenerate = async (settings?: ChatSettings): Promise<boolean> => {
    const question = this.#snapshot.messages.findLast(({ role }) => role === "user")
    return question === undefined ? false : this.send(question.content, settings)
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

  async #load(chatId: string, signal: AbortSignal) {
    const chat = await this.#options.client.chat.get(chatId, {}, { signal })
    if (!signal.aborted) this.#change({ messages: chat.messages })
    return chat
  }

  async #follow({ chatId, done, messageId, stream }: StreamedReply, signal: AbortSignal): Promise<void> {
    let content = ""
    try {
      for await (const piece of stream) {
        content += piece
        if (!signal.aborted) this.#show({ ...localMessage("assistant", content, messageId) }, "streaming")
      }
      const message = await done
      if (!signal.aborted) this.#show(message, "ready")
    } catch (error) {
      if (signal.aborted) throw error
      // A reply that was stopped breaks off, too.
      const { messages } = await this.#load(chatId, signal)
      if (messages.find(({ id }) => id === messageId)?.state !== "stopped") throw error
    } finally {
      this.#options.onSpent()
    }
  }

  #show(message: Message, status: ChatStatus): void {
    const { messages } = this.#snapshot
    const isKnown = messages.some(({ id }) => id === message.id)
    this.#change({
      messages: isKnown ? messages.map((each) => (each.id === message.id ? message : each)) : [...messages, message],
      status
    })
  }

  #change(changed: Partial<ChatSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
