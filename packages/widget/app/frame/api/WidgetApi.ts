import { type BotConfig, configFrom } from "./BotConfig.ts"
import { type AttachedFile, fileFrom, refusedFile } from "./files.ts"
import { type ConversationState, type Rating, stateFrom, type Transcript, transcriptFrom } from "./Transcript.ts"

/** The reason why the server refused a request. */
export type Refusal =
  | { readonly kind: "absent" }
  /** The server has no conversation of the visitor with this id. */
  | { readonly kind: "forgotten" }
  | { readonly kind: "limit"; readonly retryAfterSeconds: number }
  | { readonly kind: "tooLong" }
  /** The message must be sent with the token of a solved challenge. */
  | { readonly kind: "challenge"; readonly siteKey: string }
  | { readonly kind: "failed" }
  | { readonly kind: "unreachable" }

export interface BegunReply {
  readonly kind: "reply"
  readonly conversationId: string
  /** The id of the reply; undefined unless the bot wrote it. */
  readonly messageId: string | undefined
  /**
   * `person`: the message waits for a person, and no text comes. `none`: the text is the sentence with which the bot
   * declines.
   */
  readonly answeredBy: "bot" | "person" | "none"
  /** The text of the reply as it arrives. The stream fails if the reply breaks off. */
  readonly body: ReadableStream<Uint8Array>
}

export interface Question {
  readonly visitorId: string
  readonly conversationId: string | undefined
  readonly message: string
  /** The token of a challenge that was solved for this message. */
  readonly challengeToken?: string | undefined
}

/** The request of a visitor to speak with a person. */
export interface PersonWish {
  readonly visitorId: string
  readonly conversationId: string | undefined
  readonly email?: string | undefined
  readonly page: string | undefined
  readonly language: "en" | "de"
  readonly challengeToken?: string | undefined
}

/** The response to a visitor who asks for a person. */
export interface AskedForPerson {
  readonly kind: "asked"
  readonly conversationId: string
  readonly state: ConversationState
  readonly hasEmail: boolean
  /** The time when people answer again, in ISO 8601; undefined if they answer now. */
  readonly opensAt: string | undefined
}

/** The result of sending a file. */
export interface Attached {
  /** The id of the conversation to which the file belongs. */
  readonly conversationId: string | undefined
  /** True if the server has no conversation of the visitor with the sent id. */
  readonly isForgotten?: boolean
  readonly file: AttachedFile
}

/** The wait in seconds after a limit that names none. */
const DEFAULT_WAIT_SECONDS = 30

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

interface Problem {
  readonly code?: unknown
  readonly challenge?: { readonly kind?: unknown; readonly siteKey?: unknown }
}

const refusalOf = async (response: Response): Promise<Refusal> => {
  const { status } = response
  const body = (await response.json().catch(() => undefined)) as Problem | undefined
  if (status === 404) return { kind: textOf(body?.code).startsWith("conversation") ? "forgotten" : "absent" }
  if (status === 413 || (status === 400 && body?.code === "message_too_long")) return { kind: "tooLong" }
  if (body?.code === "visitor_challenge_required" && body.challenge?.kind === "turnstile") {
    return { kind: "challenge", siteKey: textOf(body.challenge.siteKey) }
  }
  if (status !== 429) return { kind: "failed" }
  const seconds = Number(response.headers.get("retry-after"))
  return { kind: "limit", retryAfterSeconds: seconds > 0 ? Math.ceil(seconds) : DEFAULT_WAIT_SECONDS }
}

/**
 * Calls the server's routes for the visitors of one bot. Methods return refusals as values, and throw only an
 * `AbortError`.
 */
export class WidgetApi {
  readonly #base: URL
  readonly #publicKey: string
  readonly #lang: string

  /** Takes the address of the frame's page, whose path ends with the bot's public key, and the language of the chat. */
  constructor(page: string, lang: string) {
    this.#lang = lang
    this.#base = new URL("../api/widget/", page)
    this.#publicKey = decodeURIComponent(new URL(page).pathname.split("/").at(-1) ?? "")
  }

  get publicKey(): string {
    return this.#publicKey
  }

  async config(): Promise<BotConfig | Refusal> {
    const response = await this.#fetch(`config/${encodeURIComponent(this.#publicKey)}?lang=${this.#lang}`)
    if (!(response instanceof Response)) return response
    if (!response.ok) return refusalOf(response)
    try {
      return configFrom(await response.json())
    } catch {
      return { kind: "failed" }
    }
  }

  async ask(question: Question, signal: AbortSignal): Promise<BegunReply | Refusal> {
    const response = await this.#post("chat", { ...question, lang: this.#lang }, signal)
    if (!(response instanceof Response)) return response
    if (!response.ok) return refusalOf(response)
    const conversationId = response.headers.get("x-conversation-id") ?? question.conversationId
    if (response.body === null || conversationId === undefined) return { kind: "failed" }
    const by = response.headers.get("x-answered-by")
    const answeredBy = by === "person" || by === "none" ? by : "bot"
    const messageId = response.headers.get("x-message-id") ?? undefined
    return { kind: "reply", conversationId, messageId, answeredBy, body: response.body }
  }

  /** Stores the visitor's rating of a reply, or removes it if `rating` is null. Resolves to true if that succeeded. */
  async rate(visitorId: string, conversationId: string, messageId: string, rating: Rating | null): Promise<boolean> {
    const response = await this.#post("rating", { visitorId, conversationId, messageId, rating })
    return response instanceof Response && response.ok
  }

  /** Hands the conversation over to a person, for whom the visitor then waits. */
  async askForPerson(wish: PersonWish): Promise<AskedForPerson | Refusal> {
    const response = await this.#post("person", wish)
    if (!(response instanceof Response)) return response
    if (!response.ok) return refusalOf(response)
    const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
    const conversationId = textOf(body["conversationId"])
    if (conversationId === "") return { kind: "failed" }
    const opensAt = textOf(body["opensAt"]) || undefined
    return {
      kind: "asked",
      conversationId,
      state: stateFrom(body["state"]),
      hasEmail: body["hasEmail"] === true,
      opensAt
    }
  }

  /** Attaches a file to the visitor's conversation, or to a new conversation. */
  async attach(visitorId: string, conversationId: string | undefined, file: File): Promise<Attached> {
    const form = new FormData()
    form.set("publicKey", this.#publicKey)
    form.set("visitorId", visitorId)
    if (conversationId !== undefined) form.set("conversationId", conversationId)
    form.set("file", file, file.name)
    const response = await this.#fetch("files", { method: "POST", body: form })
    const body: unknown = response instanceof Response ? await response.json().catch(() => undefined) : undefined
    if (response instanceof Response && response.ok) {
      const { conversationId: begun, file: stored } = Object(body) as Record<string, unknown>
      return { conversationId: textOf(begun) || undefined, file: fileFrom(stored) }
    }
    const isLimited = response instanceof Response && response.status === 429
    const waitSeconds = isLimited ? Number(response.headers.get("retry-after")) || DEFAULT_WAIT_SECONDS : undefined
    const isForgotten = textOf((Object(body) as Problem).code) === "conversation_not_found"
    return { conversationId, isForgotten, file: refusedFile(file.name, body, waitSeconds) }
  }

  /** Reads the messages of the visitor's conversation: all, or only those after the message `after`. */
  async transcript(visitorId: string, conversationId: string, after?: string): Promise<Transcript | Refusal> {
    const response = await this.#post("conversation", { visitorId, conversationId, after })
    if (!(response instanceof Response)) return response
    if (!response.ok) {
      const refusal = await refusalOf(response)
      return refusal.kind === "absent" ? { kind: "forgotten" } : refusal
    }
    try {
      return transcriptFrom(await response.json())
    } catch {
      return { kind: "failed" }
    }
  }

  #post(path: string, body: object, signal?: AbortSignal): Promise<Response | Refusal> {
    return this.#fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ publicKey: this.#publicKey, ...body }),
      ...(signal === undefined ? {} : { signal })
    })
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response | Refusal> {
    try {
      return await fetch(new URL(path, this.#base), { credentials: "omit", referrerPolicy: "no-referrer", ...init })
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error
      return { kind: "unreachable" }
    }
  }
}

/** The methods that a conversation calls. */
export type ConversationApi = Pick<WidgetApi, "ask" | "attach" | "askForPerson" | "rate" | "transcript">
