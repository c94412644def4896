import { randomBytes } from "node:crypto"
import { answerRequest } from "./api/answerRequest.ts"
import { pay } from "./books/checkouts.ts"
import { payInvoice } from "./books/invoices.ts"
import { catchUp, moveClock } from "./books/passTime.ts"
import { closeDispute, openDispute, refund } from "./books/payments.ts"
import type { PayOptions } from "./books/PayOptions.ts"
import {
  PORTAL_FEATURES,
  type PortalFeatures,
  STAND_IN_GENERATIONS,
  StandInBooks,
  type StandInGeneration
} from "./books/StandInBooks.ts"
import type { Card, StandInPrice, StoredEvent } from "./books/StandInState.ts"
import { cancel, changePlan, resume, setCard } from "./books/subscriptions.ts"
import { Deliveries, signatureOf, type WebhookTarget } from "./Deliveries.ts"
import { answerPage } from "./pages/pageRoutes.ts"
import { memoryStore, type StandInStore } from "./StandInStore.ts"

export interface StandInOptions {
  readonly prices: ReadonlyArray<StandInPrice>
  /**
   * The address of the stand-in's pages for browsers, which may include a path; the SDK's requests go to `v1` below it.
   */
  readonly publicUrl: string
  /** The key that requests must have; a random one by default. */
  readonly apiKey?: string
  /** The receiver of events; none by default, and it may be set later. */
  readonly webhook?: WebhookTarget
  /** The form in which events are written; Stripe's current one by default. */
  readonly generation?: StandInGeneration
  /** The store of its state; in memory by default. */
  readonly store?: StandInStore
  /** Returns the real time in Unix milliseconds; the system's clock by default. */
  readonly now?: () => number
  /** The features of the customer portal, by Stripe's names; those that `docs/billing.md` requires by default. */
  readonly portal?: PortalFeatures
  /** Sends events; the global `fetch` by default. */
  readonly fetch?: typeof fetch
}

/**
 * The longest time for which a person waits until the webhook endpoint has received an action's events, as at Stripe.
 */
const TOLD_WITHIN_MS = 10_000

/** The interval at which the stand-in looks for due work, for example a renewal. */
const LOOK_MS = 60_000

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * A payment provider for development and tests with Stripe's protocol: customers, checkout and portal pages,
 * subscriptions, invoices, refunds, disputes, signed events. Its clock can be moved forward; all work that is due until
 * then is done. No money moves. It must not be reachable from other machines.
 */
export class StandInPayments {
  readonly apiKey: string
  readonly deliveries: Deliveries
  readonly #books: StandInBooks
  #publicUrl: URL
  readonly #store: StandInStore
  readonly #timer: ReturnType<typeof setInterval>
  #isDown = false

  constructor(options: StandInOptions) {
    this.apiKey = options.apiKey ?? `sk_test_${randomBytes(16).toString("hex")}`
    this.#publicUrl = new URL(options.publicUrl)
    this.#store = options.store ?? memoryStore()
    this.#books = new StandInBooks({
      state: this.#store.load(),
      prices: options.prices,
      generation: options.generation ?? STAND_IN_GENERATIONS[1],
      realNow: options.now ?? Date.now,
      pageUrl: (path) => `${this.base}/${path}`,
      onEvent: (event) => this.deliveries.announce(event),
      portal: { ...PORTAL_FEATURES, ...options.portal }
    })
    this.deliveries = new Deliveries({
      events: () => this.#books.state.events,
      target: options.webhook,
      fetch: options.fetch ?? fetch,
      onChange: () => this.#keep()
    })
    this.#timer = setInterval(() => this.#change(() => undefined), LOOK_MS)
    this.#timer.unref()
  }

  /** Changes the address of the stand-in's pages for browsers. */
  set publicUrl(url: string) {
    this.#publicUrl = new URL(url)
  }

  /** The address of the stand-in's pages, without a slash at the end. */
  get base(): string {
    return this.#publicUrl.href.replace(/\/+$/, "")
  }

  /** Answers requests without a network: pass it to the payment gateway as `fetch`. */
  readonly fetch: typeof fetch = (input, init) => this.handle(new Request(input, init))

  /**
   * Answers requests of the SDK and of browsers. Pages are only for browsers on this machine, and forms of other sites
   * are refused.
   */
  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const path = this.#pathOf(url)
    if (path === undefined) return new Response(null, { status: 404 })
    if (path.startsWith("v1/")) {
      const options = { books: this.#books, apiKey: this.apiKey, isDown: () => this.#isDown }
      return this.#changed(() => answerRequest(options, request, path.slice("v1/".length)))
    }
    if (!this.#isOwn(url, request)) return new Response("Only for browsers of this machine.", { status: 403 })
    return this.#changed(() => answerPage(this.#pages(), request, path))
  }

  /** The stand-in's time in Unix milliseconds. */
  now(): number {
    return this.#books.now() * 1000
  }

  /**
   * Moves the stand-in's clock forward to a time in Unix milliseconds. Renewals, retries and ends until then happen in
   * their order.
   */
  moveClock(to: number): void {
    this.#change(() => moveClock(this.#books, to))
  }

  /** Completes a checkout page. */
  pay(sessionId: string, options: PayOptions = {}): void {
    this.#change(() => pay(this.#books, sessionId, options))
  }

  cancel(subscriptionId: string, when: "period-end" | "now"): void {
    this.#change(() => cancel(this.#books, subscriptionId, when))
  }

  resume(subscriptionId: string): void {
    this.#change(() => resume(this.#books, subscriptionId))
  }

  changePlan(subscriptionId: string, priceId: string): void {
    this.#change(() => changePlan(this.#books, subscriptionId, priceId))
  }

  /** Sets the result of later charges to the card of a subscription. */
  setCard(subscriptionId: string, card: Card): void {
    this.#change(() => setCard(this.#books, subscriptionId, card))
  }

  payInvoice(invoiceId: string): void {
    this.#change(() => payInvoice(this.#books, invoiceId))
  }

  /** Refunds a payment: the given amount in minor units, or the remaining amount. */
  refund(paymentId: string, amount?: number): void {
    this.#change(() => refund(this.#books, paymentId, amount))
  }

  /** Opens a dispute, and returns its id. */
  openDispute(paymentId: string): string {
    return this.#change(() => openDispute(this.#books, paymentId).id)
  }

  closeDispute(disputeId: string, outcome: "won" | "lost"): void {
    this.#change(() => closeDispute(this.#books, disputeId, outcome))
  }

  /** While `isDown` is true, requests of the SDK are answered with status 503. Pages and events continue to work. */
  setOutage(isDown: boolean): void {
    this.#isDown = isDown
  }

  /** Changes the generation of the form in which later events are written. */
  set generation(generation: StandInGeneration) {
    this.#books.generation = generation
  }

  /** The events of the last thirty days, oldest first; `text` is the body for the webhook. */
  get events(): ReadonlyArray<StoredEvent> {
    return this.#books.state.events
  }

  /** Ids of the payments, oldest first. */
  get payments(): ReadonlyArray<string> {
    return Object.keys(this.#books.state.payments)
  }

  /** Returns the signature of a body in Stripe's form. */
  sign(body: string, secret: string, at: number): string {
    return signatureOf(body, secret, at)
  }

  /** Stops the deliveries and the automatic work. */
  close(): void {
    clearInterval(this.#timer)
    this.deliveries.close()
  }

  #pages() {
    return {
      books: this.#books,
      base: this.base,
      isDown: () => this.#isDown,
      setOutage: (isDown: boolean) => this.setOutage(isDown),
      sendEvent: (id: string) => this.deliveries.send(id),
      told: () => this.#told()
    }
  }

  #told(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, TOLD_WITHIN_MS)
      void this.deliveries.idle().then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #pathOf({ pathname }: URL): string | undefined {
    const below = this.#publicUrl.pathname.replace(/\/+$/, "")
    if (pathname === below) return ""
    return pathname.startsWith(`${below}/`) ? pathname.slice(below.length + 1) : undefined
  }

  /**
   * True if a request is not from another site: its host is this machine or the stand-in's own, and forms come from its
   * own pages. So a page of another site can neither reach the stand-in by a name of its own nor send it forms.
   */
  #isOwn(url: URL, request: Request): boolean {
    if (!LOOPBACK.has(url.hostname) && url.hostname !== this.#publicUrl.hostname) return false
    if (request.method === "GET") return true
    const site = request.headers.get("sec-fetch-site")
    if (site !== null) return site === "same-origin" || site === "none"
    const origin = request.headers.get("origin")
    return origin === null || origin === url.origin || origin === this.#publicUrl.origin
  }

  #keep(): void {
    this.#store.save(this.#books.state)
  }

  #change<A>(work: () => A): A {
    catchUp(this.#books)
    const result = work()
    this.#keep()
    return result
  }

  async #changed<A>(work: () => Promise<A>): Promise<A> {
    catchUp(this.#books)
    const result = await work()
    this.#keep()
    return result
  }
}
