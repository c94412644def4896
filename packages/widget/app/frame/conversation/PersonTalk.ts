import type { ConversationState, Transcript, TranscriptMessage } from "../api/Transcript.ts"
import type { ConversationApi, Refusal } from "../api/WidgetApi.ts"
import type { Memory } from "../VisitorMemory.ts"

/** The interval at which new messages of a person are looked for, in milliseconds. */
const LOOK_MS = 3_000

/** The state of asking a person, as it is shown. */
export interface PersonState {
  readonly state: ConversationState
  /** True while the wish is being sent. */
  readonly isAsking: boolean
  /** The service knows where to mail an answer. */
  readonly hasEmail: boolean
  /** When people are back; undefined if they are there. */
  readonly opensAt: string | undefined
  /** The name of the person who wrote last; empty if it is not known. */
  readonly name: string
  /** The reason why the wish was refused. */
  readonly refusal: Refusal | undefined
}

interface PersonTalkInput {
  /** When people were back as the page was loaded; undefined if they were there. */
  readonly opensAt: string | undefined
  readonly api: ConversationApi
  readonly memory: Memory
  /** The address of the embedding page, and the language of the chat. */
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

/** Asks for a person, and looks for the person's messages while one is waited for or answers. */
export class PersonTalk {
  readonly #input: PersonTalkInput
  #shown = NONE
  /** The ids of the messages of people that are shown, and the last id that the service returned. */
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

  /** True if a person answers, and the bot is silent. */
  get isActive(): boolean {
    const { state } = this.#shown
    return state === "waiting" || state === "open"
  }

  /** Sends the wish for a person; again, with an address, to add that. */
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

  /** The conversation was found in this state, and all its messages are shown. */
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

  /** A person answers the message that was just sent: another page of the visitor may have asked for one. */
  noteActive(): void {
    if (!this.isActive) this.#set({ state: "waiting", opensAt: this.#input.opensAt })
    this.#lookSoon(LOOK_MS)
  }

  /** The conversation is over. */
  leave(): void {
    clearTimeout(this.#timer)
    this.#known.clear()
    this.#last = undefined
    this.#set(NONE)
  }

  /** Hidden pages do not look: the service then mails an answer, if it knows an address. */
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
