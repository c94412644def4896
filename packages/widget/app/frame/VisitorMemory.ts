/** The visitor's id for one bot, and the id of the visitor's conversation. */
interface Remembered {
  readonly visitorId: string
  readonly conversationId?: string | undefined
}

const COOKIE = "parley"
const YEAR_SECONDS = 31_536_000

/** Makes a visitor's id of 128 random bits. A request with this id counts as the visitor's. */
const newVisitorId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Stores the ids of the visitor and the conversation in the frame's own storage. If the browser blocks that in
 * third-party frames, it uses a partitioned cookie (`Partitioned`, which needs https). Otherwise the ids last until the
 * page is left.
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
      // The browser refuses the storage, so the cookie is read.
    }
    return decodeURIComponent(new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(document.cookie)?.[1] ?? "")
  }
}

/** The ids that a conversation reads and sets. */
export type Memory = Pick<VisitorMemory, "conversationId" | "visitorId">
