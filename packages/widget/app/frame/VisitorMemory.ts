/** The visitor's id for one bot, and their conversation. */
interface Remembered {
  readonly visitorId: string
  readonly conversationId?: string | undefined
}

const COOKIE = "parley"
const YEAR_SECONDS = 31_536_000

/** 128 random bits: knowing them proves the visitor. */
const newVisitorId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Stores these for the frame: in its own storage; if the browser blocks that in third-party frames, in a partitioned
 * cookie (`Partitioned`, which needs https); otherwise until the page is left.
 */
export class VisitorMemory {
  readonly #key: string
  #remembered: Remembered

  constructor(publicKey: string) {
    this.#key = `parley:${publicKey}`
    this.#remembered = this.#read() ?? { visitorId: newVisitorId() }
  }

  get visitorId(): string {
    return this.#remembered.visitorId
  }

  get conversationId(): string | undefined {
    return this.#remembered.conversationId
  }

  set conversationId(conversationId: string | undefined) {
    this.#remembered = { visitorId: this.visitorId, conversationId }
    const text = JSON.stringify(this.#remembered)
    try {
      localStorage.setItem(this.#key, text)
    } catch {
      const scope = `path=${location.pathname}; max-age=${YEAR_SECONDS}; secure; samesite=none; partitioned`
      document.cookie = `${COOKIE}=${encodeURIComponent(text)}; ${scope}`
    }
  }

  #read(): Remembered | undefined {
    try {
      const { conversationId, visitorId } = JSON.parse(this.#text()) as Record<string, unknown>
      if (typeof visitorId !== "string") return undefined
      return typeof conversationId === "string" ? { visitorId, conversationId } : { visitorId }
    } catch {
      return undefined
    }
  }

  #text(): string {
    try {
      const kept = localStorage.getItem(this.#key)
      if (kept !== null) return kept
    } catch {
      // Refused.
    }
    return decodeURIComponent(new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(document.cookie)?.[1] ?? "")
  }
}

/** The facts that a conversation remembers of its visitor. */
export type Memory = Pick<VisitorMemory, "conversationId" | "visitorId">
