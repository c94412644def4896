/** Who the visitor is to one bot, and the conversation they are in. */
interface Remembered {
  readonly visitorId: string
  readonly conversationId?: string | undefined
}

const COOKIE = "parley"
const YEAR_SECONDS = 31_536_000

/** 128 random bits: whoever knows them is the visitor. */
const newVisitorId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Keeps that for the frame: in its own storage; where a browser refuses this in pages of other sites, in a cookie of this
 * page and the site around it (`Partitioned`, which needs https); else until the page is left.
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
