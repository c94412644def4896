import type { ConversationState, Transcript, TranscriptMessage } from "../api/Transcript.ts"
import type { ConversationApi, Refusal } from "../api/WidgetApi.ts"
import type { Memory } from "../VisitorMemory.ts"

/** The interval of reading new messages of a person, in milliseconds. */
const LOOK_MS = 3_000

/** The state of the hand-over, for display. */
export interface PersonState {
  readonly state: ConversationState
  /** True while the request for a person is being sent. */
  readonly isAsking: boolean
  /** True if the server knows the address to which an answer can be mailed. */
  readonly hasEmail: boolean
  /** The time when people answer again; undefined if they answer now. */
  readonly opensAt: string | undefined
  /** The name of the person who wrote last; empty if it is not known. */
  readonly name: string
  /** The reason why the request for a person was refused. */
  readonly refusal: Refusal | undefined
}

interface PersonTalkInput {
  /** The time when people answer again, as of when the page was loaded; undefined if they answered then. */
  readonly opensAt: string | undefined
  readonly api: ConversationApi
  readonly memory: Memory
  /** Returns the address of the embedding page and the language of the chat. */
  readonly surroundings: () => { readonly page: string | undefined; readonly language: "en" | "de" }
  readonly onMessage: (message: TranscriptMessage) => void
  readonly onChange: () => void
}

const NONE: PersonState = {
  state: "bot",
  isAsking: false,
  hasEmail: false,
  opensAt: undefined,
  name: "",
  refusal: undefined
}

/** Asks for a person, and reads the person's messages while the visitor waits or the person answers. */
export class PersonTalk {
  readonly #input: PersonTalkInput
  #shown = NONE
  /** The ids of the stored messages that are already shown. */
  readonly #known = new Set<string>()
  #last: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(input: PersonTalkInput) {
    this.#input = input
    document.addEventListener("visibilitychange", () => this.#lookSoon(0))
  }

  get shown(): PersonState {
    return this.#shown
  }

  /** True while a person answers and the bot does not. */
  get isActive(): boolean {
    const { state } = this.#shown
    return state === "waiting" || state === "open"
  }

  /** Sends the request for a person. It is sent again with `email` if the visitor adds an address. */
  async ask(more: { readonly email?: string; readonly challengeToken?: string } = {}): Promise<void> {
    const { api, memory, surroundings } = this.#input
    if (this.#shown.isAsking) return
    this.#set({ isAsking: true, refusal: undefined })
    const { conversationId, visitorId } = memory
    const answer = await api.askForPerson({ visitorId, conversationId, ...surroundings(), ...more })
    if (answer.kind !== "asked") return this.#set({ isAsking: false, refusal: answer })
    const { hasEmail, opensAt, state } = answer
    memory.conversationId = answer.conversationId
    this.#set({ isAsking: false, hasEmail, opensAt, state })
    this.#lookSoon(LOOK_MS)
  }

  /** Continues a stored conversation, all of whose messages are shown. */
  resume({ hasEmail, messages, state }: Transcript): void {
    for (const { id } of messages) this.#known.add(id)
    this.#last = messages.at(-1)?.id
    this.#set({
      state,
      hasEmail,
      opensAt: this.#input.opensAt,
      name: messages.findLast(({ author }) => author !== undefined)?.author ?? ""
    })
    this.#lookSoon(LOOK_MS)
  }

  /** Notes that a person answers the message that was just sent: the visitor may have asked for one on another page. */
  noteActive(): void {
    if (!this.isActive) this.#set({ state: "waiting", opensAt: this.#input.opensAt })
    this.#lookSoon(LOOK_MS)
  }

  /** Ends the hand-over, because the conversation has ended. */
  leave(): void {
    clearTimeout(this.#timer)
    this.#known.clear()
    this.#last = undefined
    this.#set(NONE)
  }

  /**
   * Schedules the next reading of messages. Hidden pages read none: the server then mails an answer if it knows an
   * address.
   */
  #lookSoon(delayMs: number): void {
    clearTimeout(this.#timer)
    if (this.isActive && !document.hidden) this.#timer = setTimeout(() => void this.#look(), delayMs)
  }

  async #look(): Promise<void> {
    const { api, memory, onMessage } = this.#input
    const { conversationId, visitorId } = memory
    if (conversationId === undefined) return
    const answer = await api.transcript(visitorId, conversationId, this.#last)
    if (memory.conversationId !== conversationId || !this.isActive) return
    if (answer.kind === "forgotten") return this.leave()
    if (answer.kind === "transcript") {
      // The messages of the visitor and the bot are shown already.
      const found = answer.messages.filter(({ author, id }) => author !== undefined && !this.#known.has(id))
      for (const message of found) {
        this.#known.add(message.id)
        onMessage(message)
      }
      this.#last = answer.messages.at(-1)?.id ?? this.#last
      const name = found.at(-1)?.author ?? this.#shown.name
      const { hasEmail, state } = answer
      const { shown } = this
      if (state !== shown.state || name !== shown.name || hasEmail !== shown.hasEmail)
        this.#set({ state, name, hasEmail })
    }
    this.#lookSoon(answer.kind === "limit" ? answer.retryAfterSeconds * 1_000 : LOOK_MS)
  }

  #set(change: Partial<PersonState>): void {
    this.#shown = { ...this.#shown, ...change }
    this.#input.onChange()
  }
}
