import { createHmac } from "node:crypto"
import type { StoredEvent } from "./books/StandInState.ts"

/** The webhook endpoint that receives events, and the secret with which they are signed. */
export interface WebhookTarget {
  readonly url: string
  readonly secret: string
}

/**
 * Seconds until each next delivery of an event that the receiver did not accept. After the last one, it is sent only by
 * hand.
 */
const RETRY_SECONDS = [2, 10, 60, 300, 1_800, 7_200, 21_600]

const SEND_TIMEOUT_MS = 10_000

/** Returns the signature header in Stripe's form: HMAC SHA-256 over time and body, with the whole secret as the key. */
export const signatureOf = (body: string, secret: string, atMs: number): string => {
  const seconds = Math.floor(atMs / 1000)
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

export interface DeliveriesOptions {
  readonly events: () => ReadonlyArray<StoredEvent>
  readonly target: WebhookTarget | undefined
  readonly fetch: typeof fetch
  readonly onChange: () => void
}

/**
 * Sends events one after another, as signed POST requests. An event that was not accepted is sent again after a growing
 * delay. While `hold` is true, no event is sent automatically: the user of the stand-in sends events at any time, in
 * any order, and as often as wanted.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #queue: Promise<unknown> = Promise.resolve()
  #target: WebhookTarget | undefined
  #isClosed = false
  hold = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#target = options.target
  }

  /** Changes the receiver of events. */
  set target(target: WebhookTarget | undefined) {
    this.#target = target
  }

  /** The events that the receiver has not accepted yet, in order. */
  get pending(): ReadonlyArray<StoredEvent> {
    return this.#options.events().filter(({ isPending }) => isPending)
  }

  /** Sends a new event, unless `hold` is true. */
  announce(event: StoredEvent): void {
    if (!this.hold) void this.#enqueue(event)
  }

  /** Sends all pending events in order; returns true if the receiver accepted all of them. */
  async flush(): Promise<boolean> {
    await this.#queue
    for (const event of this.pending) await this.#enqueue(event)
    return this.pending.length === 0
  }

  /** Sends an event now, even if it was accepted before; returns true if the receiver accepted it. */
  send(id: string): Promise<boolean> {
    const event = this.#options.events().find((kept) => kept.id === id)
    return event === undefined ? Promise.resolve(false) : this.#enqueue(event, true)
  }

  /** Resolves when no delivery is running any more. */
  async idle(): Promise<void> {
    await this.#queue
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #enqueue(event: StoredEvent, again = false): Promise<boolean> {
    const sent = this.#queue.then(() => (event.isPending || again ? this.#post(event) : true))
    this.#queue = sent
    return sent
  }

  async #post(event: StoredEvent): Promise<boolean> {
    if (this.#target === undefined || this.#isClosed) return false
    const taken = await this.#taken(event.text, this.#target)
    if (taken) event.isPending = false
    else this.#retryLater(event)
    this.#options.onChange()
    return taken
  }

  async #taken(body: string, { secret, url }: WebhookTarget): Promise<boolean> {
    try {
      const response = await this.#options.fetch(url, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", "stripe-signature": signatureOf(body, secret, Date.now()) },
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS)
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false
    }
  }

  #retryLater(event: StoredEvent): void {
    const seconds = RETRY_SECONDS[event.failures]
    event.failures += 1
    if (seconds === undefined || this.hold || this.#isClosed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.announce(event)
    }, seconds * 1000)
    timer.unref()
    this.#timers.add(timer)
  }
}
