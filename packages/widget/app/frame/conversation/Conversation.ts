import type { Rating, TranscriptMessage } from "../api/Transcript.ts"
import type { ConversationApi, Refusal } from "../api/WidgetApi.ts"
import type { Memory } from "../VisitorMemory.ts"
import type { Message } from "./Message.ts"
import { Attachments } from "./Attachments.ts"
import { PersonTalk } from "./PersonTalk.ts"

/** The reason why the visitor cannot send, or why the last message was not answered; for a limit with its end. */
export type Obstacle =
  | { readonly kind: "limit"; readonly until: number }
  | { readonly kind: "challenge"; readonly siteKey: string }
  | { readonly kind: "absent" | "tooLong" | "challengeFailed" | "failed" | "unreachable" | "broken" }

export type ConversationEvent =
  | { readonly type: "message" | "reply" | "error" }
  | { readonly type: "limit"; readonly retryAfterSeconds: number }

interface ConversationInput {
  readonly api: ConversationApi
  readonly memory: Memory
  /** True if the passages that a reply cites are read after the reply. */
  readonly showsSources: boolean
  /** The time when people answer again, in ISO 8601; undefined if they answer now. */
  readonly opensAt: string | undefined
  /** Returns the address of the embedding page and the language of the chat. */
  readonly surroundings: () => { readonly page: string | undefined; readonly language: "en" | "de" }
  readonly onEvent: (event: ConversationEvent) => void
}

interface Asking {
  readonly challengeToken?: string | undefined
  /** True if the message is sent a second time. */
  readonly isAgain?: boolean
}

/** Obstacles that another message would also meet. */
const CANNOT_ANSWER: ReadonlyArray<Obstacle["kind"]> = ["limit", "failed", "broken"]

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

const CITED = /\[\d{1,3}\]|\[\d{1,3}\s?[,;]/

/** The messages of visitor, bot and person, and the actions on them. Each change calls the listeners. */
export class Conversation {
  readonly #input: ConversationInput
  readonly #listeners = new Set<() => void>()
  /** Asks for a person, and reads the person's messages. */
  readonly person: PersonTalk
  readonly attachments: Attachments
  #hasDeclined = false
  #messages: Array<Message> = []
  #obstacle: Obstacle | undefined
  #running: AbortController | undefined
  #restoring: Promise<void> | undefined
  #lacksHistory = false
  #returned: string | undefined
  #nextId = 1

  constructor(input: ConversationInput) {
    this.#input = input
    const { api, memory, onEvent, opensAt, surroundings } = input
    this.attachments = new Attachments({ api, memory, onChange: () => this.#changed() })
    this.person = new PersonTalk({
      ...{ api, memory, opensAt, surroundings },
      onMessage: (message) => {
        this.#addStored(message, true)
        onEvent({ type: "reply" })
      },
      onChange: () => this.#changed()
    })
  }

  /** True if the bot has not answered the last message: it declined, or the server refused or failed. */
  get cannotAnswer(): boolean {
    return this.#hasDeclined || (this.#obstacle !== undefined && CANNOT_ANSWER.includes(this.#obstacle.kind))
  }

  get messages(): ReadonlyArray<Message> {
    return this.#messages
  }

  get obstacle(): Obstacle | undefined {
    return this.#obstacle
  }

  /** True while a reply is awaited or written. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** True if earlier messages could not be loaded. */
  get lacksHistory(): boolean {
    return this.#lacksHistory
  }

  onChange(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener("abort", () => this.#listeners.delete(listener))
  }

  /** Loads the messages of an earlier visit, once. */
  restore(): Promise<void> {
    return (this.#restoring ??= this.#restore())
  }

  /** Sends a message, and shows its reply as it arrives. */
  async send(text: string): Promise<void> {
    if (this.isRunning || text.trim() === "") return
    // An unsent message is dropped when the visitor sends another one.
    this.#messages = this.#messages.filter(({ state }) => state !== "unsent")
    await this.restore()
    // A file that is being sent may begin the conversation, so the message waits for it.
    while (this.attachments.isSending) await pause()
    if (this.isRunning) return
    const message = this.#add("visitor", text.trim(), "sending")
    this.#input.onEvent({ type: "message" })
    await this.#ask(message)
  }

  /**
   * Sends the last message again after it was refused or its reply broke off. `challengeToken` is the token of a solved
   * challenge.
   */
  async retry(challengeToken?: string): Promise<void> {
    if (this.isRunning) return
    const last = this.#messages.at(-1)
    if (last?.role === "bot" && last.state !== "complete") this.#messages.pop()
    const message = this.#messages.at(-1)
    if (message?.role !== "visitor") return
    message.state = "sending"
    await this.#ask(message, { challengeToken })
  }

  /** Attaches files after the conversation of an earlier visit is loaded. */
  async attach(files: ReadonlyArray<File>): Promise<void> {
    await this.restore()
    // The first message begins the conversation to which the files should belong, so they wait for it.
    while (this.isRunning && this.#input.memory.conversationId === undefined) await pause()
    await this.attachments.add(files)
  }

  /** Rates a reply. Choosing the present rating again removes it. */
  async rate(message: Message, chosen: Rating): Promise<void> {
    const { api, memory } = this.#input
    const { conversationId, visitorId } = memory
    const { rating: before, storedId } = message
    if (conversationId === undefined || storedId === undefined) return
    message.rating = before === chosen ? undefined : chosen
    this.#changed()
    if (await api.rate(visitorId, conversationId, storedId, message.rating ?? null)) return
    message.rating = before
    this.#changed()
  }

  /** Stops the reply that is being written. */
  stop(): void {
    this.#running?.abort()
  }

  /** Clears the conversation. The next message begins a new one. */
  startOver(): void {
    this.stop()
    this.#input.memory.conversationId = undefined
    this.#messages = []
    this.#obstacle = undefined
    this.#lacksHistory = false
    this.#hasDeclined = false
    this.person.leave()
    this.attachments.leave()
  }

  /** Returns the text of a message that was too long, once, so that the visitor can shorten it. */
  takeReturned(): string | undefined {
    const returned = this.#returned
    this.#returned = undefined
    return returned
  }

  /** Called if the challenge cannot be shown or was not solved. */
  failChallenge(): void {
    this.#obstacle = { kind: "challengeFailed" }
    this.#changed()
  }

  /** Removes the obstacle, because the wait for a limit is over. */
  clearObstacle(): void {
    this.#obstacle = undefined
    this.#changed()
  }

  async #restore(): Promise<void> {
    const { api, memory } = this.#input
    const { conversationId, visitorId } = memory
    if (conversationId === undefined) return
    const answer = await api.transcript(visitorId, conversationId)
    if (memory.conversationId !== conversationId) return
    if (answer.kind === "transcript") {
      for (const message of answer.messages) this.#addStored(message, false)
      this.person.resume(answer)
      this.attachments.resume(answer.files ?? [])
    } else if (answer.kind === "forgotten") memory.conversationId = undefined
    else {
      this.#lacksHistory = true
      // The messages are loaded again when the chat is opened or used the next time.
      this.#restoring = undefined
    }
    this.#changed()
  }

  async #ask(message: Message, { challengeToken, isAgain = false }: Asking = {}): Promise<void> {
    const { api, memory } = this.#input
    const { conversationId, visitorId } = memory
    const running = new AbortController()
    const { signal } = running
    this.#running = running
    this.#obstacle = undefined
    this.#hasDeclined = false
    const reply = this.#make("bot", "", "writing")
    // While a person answers, the bot writes no reply.
    if (this.person.isActive) this.#changed()
    else this.#push(reply)
    try {
      const answer = await api.ask({ visitorId, conversationId, message: message.text, challengeToken }, signal)
      if (answer.kind === "forgotten" && conversationId !== undefined && !isAgain) {
        this.#drop(reply)
        memory.conversationId = undefined
        return await this.#ask(message, { challengeToken, isAgain: true })
      }
      // If the token of a solved challenge was refused, no further challenge is shown, to avoid an endless loop.
      if (answer.kind === "challenge" && challengeToken !== undefined) {
        return this.#refuse(message, reply, { kind: "challengeFailed" })
      }
      if (answer.kind !== "reply") return this.#refuse(message, reply, answer)
      message.state = "complete"
      memory.conversationId = answer.conversationId
      if (answer.answeredBy === "person") {
        this.#drop(reply)
        return this.person.noteActive()
      }
      if (!this.#messages.includes(reply)) this.#push(reply)
      await this.#read(answer.body, reply)
      reply.storedId = answer.messageId
      this.#hasDeclined = answer.answeredBy === "none"
      this.#end(running)
      await this.#findSources(reply)
    } catch {
      if (signal.aborted) this.#stopped(message, reply)
      else this.#broke(message, reply)
    } finally {
      this.#end(running)
    }
  }

  async #read(body: ReadableStream<Uint8Array>, reply: Message): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      reply.text += value
      this.#changed()
    }
    if (reply.text === "") throw new Error("The reply has no text.")
    reply.state = "complete"
    this.#input.onEvent({ type: "reply" })
  }

  /**
   * Reads the passages that a reply cites: the server stores them with the conversation and does not send them with the
   * reply.
   */
  async #findSources(reply: Message): Promise<void> {
    const { api, memory, showsSources } = this.#input
    const { conversationId, visitorId } = memory
    if (!showsSources || conversationId === undefined || !CITED.test(reply.text)) return
    const answer = await api.transcript(visitorId, conversationId)
    if (answer.kind !== "transcript") return
    const kept = answer.messages.findLast(({ role, text }) => role === "bot" && text === reply.text)
    if (kept === undefined) return
    reply.sources = kept.sources
    this.#changed()
  }

  #refuse(message: Message, reply: Message, refusal: Refusal | { readonly kind: "challengeFailed" }): void {
    const { onEvent } = this.#input
    this.#drop(reply)
    message.state = "unsent"
    if (refusal.kind === "limit") {
      const { retryAfterSeconds } = refusal
      this.#obstacle = { kind: "limit", until: Date.now() + retryAfterSeconds * 1_000 }
      onEvent({ type: "limit", retryAfterSeconds })
      return
    }
    if (refusal.kind === "tooLong") {
      this.#drop(message)
      this.#returned = message.text
    }
    if (refusal.kind === "challenge") this.#obstacle = refusal
    else this.#obstacle = { kind: refusal.kind === "forgotten" ? "failed" : refusal.kind }
    onEvent({ type: "error" })
  }

  #stopped(message: Message, reply: Message): void {
    message.state = "complete"
    if (reply.text === "") this.#drop(reply)
    reply.state = "stopped"
  }

  #broke(message: Message, reply: Message): void {
    reply.state = "broken"
    if (!this.#messages.includes(reply)) message.state = "unsent"
    this.#obstacle = { kind: "broken" }
    this.#input.onEvent({ type: "error" })
  }

  #end(running: AbortController): void {
    if (this.#running !== running) return
    this.#running = undefined
    this.#changed()
  }

  #drop(message: Message): void {
    this.#messages = this.#messages.filter((each) => each !== message)
  }

  #make(role: Message["role"], text: string, state: Message["state"]): Message {
    return { id: this.#nextId++, role, text, state, sources: [] }
  }

  #push(message: Message): Message {
    this.#messages.push(message)
    this.#changed()
    return message
  }

  #add(role: Message["role"], text: string, state: Message["state"]): Message {
    return this.#push(this.#make(role, text, state))
  }

  #addStored(stored: TranscriptMessage, isNew: boolean): void {
    const { author, id, isComplete, isRatable, rating, role, sources, text } = stored
    const storedId = isRatable ? id : undefined
    const state = isComplete ? "complete" : "partial"
    this.#push({ ...this.#make(role, text, state), author, isNew, sources, storedId, rating })
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
