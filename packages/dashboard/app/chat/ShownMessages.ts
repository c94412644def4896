import type { InputOf } from "@parley/client"
import { useSyncExternalStore } from "react"
import { endReply } from "../api/chats.ts"
import { parley } from "../api/parley.ts"
import { newMessage, type ReplyMessage } from "./ReplyMessage.ts"

/** The data in the response head of a reply. */
export interface ReplyStart {
  readonly chatId: string
  readonly messageId: string
  /** The largest number of tokens that the balance pays for, if it limits the reply. */
  readonly limitedTo: number | undefined
  /** The ids of documents that the reply leaves out because they are not ready. */
  readonly pendingDocuments: ReadonlyArray<string>
}

const startOf = ({ headers }: Response): ReplyStart => {
  const limitedTo = headers.get("x-credits-limited")
  return {
    chatId: headers.get("x-chat-id") ?? "",
    messageId: headers.get("x-message-id") ?? "",
    limitedTo: limitedTo === null ? undefined : Number(limitedTo),
    pendingDocuments: (headers.get("x-documents-pending") ?? "")
      .split(",")
      .map((id) => id.trim())
      .filter((id) => id !== "")
  }
}

interface Shown {
  readonly messages: ReadonlyArray<ReplyMessage>
  /** `submitted`: no word of the reply has arrived. `streaming`: the reply is being read. */
  readonly status: "ready" | "submitted" | "streaming"
}

/** The shortest interval between two updates of the page: about one for each frame of the screen. */
const FRAME_MS = 16

export interface ReplyEvents {
  readonly onStart: (start: ReplyStart) => void
  /** Called when reading the reply failed. The status changes to `ready` after this call. */
  readonly onBroken: () => void
}

/** The messages of a chat that this page shows, and the reply that it reads. */
export class ShownMessages {
  readonly #events: ReplyEvents
  readonly #listeners = new Set<() => void>()
  #shown: Shown
  #error: unknown
  #stopping = new AbortController()
  #telling: ReturnType<typeof setTimeout> | undefined

  constructor(messages: ReadonlyArray<ReplyMessage>, events: ReplyEvents) {
    this.#shown = { messages, status: "ready" }
    this.#events = events
  }

  readonly shown = (): Shown => this.#shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get messages(): ReadonlyArray<ReplyMessage> {
    return this.#shown.messages
  }

  set messages(messages: ReadonlyArray<ReplyMessage>) {
    this.#set({ messages })
  }

  get isWriting(): boolean {
    return this.#shown.status !== "ready"
  }

  /** The error that ended the reading of the last reply; undefined if it was read completely or stopped. */
  get error(): unknown {
    return this.#error
  }

  clearError(): void {
    this.#error = undefined
  }

  /** Sends a request and reads the reply to its end. The reply continues on the server if the page closes. */
  ask(body: InputOf<"sendMessage">["body"]): Promise<void> {
    const headers = { "x-on-disconnect": "continue", "idempotency-key": crypto.randomUUID() }
    return this.#read(() => parley.call("sendMessage", { body }, { headers, isIdempotent: true }))
  }

  /** Reads a running reply of a chat from its beginning to its end. */
  join(chatId: string, messageId: string): Promise<void> {
    return this.#read(() => parley.call("joinReply", { path: { id: chatId }, query: { messageId } }))
  }

  /**
   * Stops reading. If no word of the reply has arrived, the reply is stopped on the server as soon as its chat is
   * known.
   */
  stop(): void {
    this.#stopping.abort()
  }

  async #read(open: () => Promise<Response | undefined>): Promise<void> {
    const { signal } = (this.#stopping = new AbortController())
    this.clearError()
    this.#set({ status: "submitted" })
    const opening = open()
    try {
      const response = await Promise.race([opening, aborted(signal)])
      if (signal.aborted) void endLate(opening)
      else if (response !== undefined) {
        this.#events.onStart(startOf(response))
        await this.#readText(response, signal)
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#error = error
        this.#events.onBroken()
      }
    }
    this.#set({ status: "ready" })
  }

  async #readText({ body }: Response, signal: AbortSignal): Promise<void> {
    const reply = newMessage("assistant", "")
    this.#set({ status: "streaming", messages: [...this.messages, reply] })
    if (body === null) return
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    signal.addEventListener("abort", () => void reader.cancel())
    for (let text = ""; ;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      text += value
      this.#shown = { ...this.#shown, messages: this.messages.with(-1, { ...reply, text }) }
      this.#telling ??= setTimeout(this.#tell, FRAME_MS)
    }
  }

  #set(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change }
    this.#tell()
  }

  readonly #tell = (): void => {
    clearTimeout(this.#telling)
    this.#telling = undefined
    for (const listener of this.#listeners) listener()
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }))

/**
 * Stops a reply on the server that was stopped before its first word, because closing the connection does not stop it.
 */
const endLate = async (opening: Promise<Response | undefined>): Promise<void> => {
  const late = await opening.catch(() => undefined)
  if (late === undefined) return
  await endReply(startOf(late).chatId)
  await late.body?.cancel()
}

/** The currently shown messages and the status of the reply, for components. */
export const useShown = (chat: ShownMessages): Shown => useSyncExternalStore(chat.subscribe, chat.shown)
