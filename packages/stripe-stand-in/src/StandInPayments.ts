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
  /** The address of its pages for browsers, also below a path; the requests of the SDK go to `v1` there. */
  readonly publicUrl: string
  /** Requests have to come with it; made up unless given. */
  readonly apiKey?: string
  /** The receiver of events; none by default, and it may be set later. */
  readonly webhook?: WebhookTarget
  /** In which form events are written; as Stripe does now unless given. */
  readonly generation?: StandInGeneration
  /** The store of its state; in memory by default. */
  readonly store?: StandInStore
  /** The real time in Unix milliseconds; the system's unless given. */
  readonly now?: () => number
  /** The features of its portal, by Stripe's names; as `docs/billing.md` asks for them unless given. */
  readonly portal?: PortalFeatures
  /** Sends events; the global `fetch` by default. */
  readonly fetch?: typeof fetch
}

/** Longest time a person waits for the webhook to receive an action, as at Stripe. */
const TOLD_WITHIN_MS = 10_000

/** Interval of the check for due work, for example a renewal. */
const LOOK_MS = 60_000

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * A payment provider for development and tests that speaks Stripe's protocol: customers, checkout and portal pages,
 * subscriptions, invoices, refunds, disputes, signed events. Its clock can be moved, and all due work until then happens.
 * No money moves. It must not be reachable from other machines.
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

  /** Sets the address of its pages for browsers. */
  set publicUrl(url: string) {
    this.#publicUrl = new URL(url)
  }

  /** The address of its pages, without a slash at the end. */
  get base(): string {
    return this.#publicUrl.href.replace(/\/+$/, "")
  }

  /** Asks it without a network: give it to the gateway as its `fetch`. */
  readonly fetch: typeof fetch = (input, init) => this.handle(new Request(input, init))

  /** Answers the SDK and browsers. Pages are for browsers of this machine alone, and for no other site's forms. */
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

  /** Its time in Unix milliseconds. */
  now(): number {
    return this.#books.now() * 1000
  }

  /** Moves its clock forward to a time in Unix milliseconds: renewals, retries and ends until then happen in their order. */
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

  /** Sets how a subscription's card answers from now on. */
  setCard(subscriptionId: string, card: Card): void {
    this.#change(() => setCard(this.#books, subscriptionId, card))
  }

  payInvoice(invoiceId: string): void {
    this.#change(() => payInvoice(this.#books, invoiceId))
  }

  /** Refunds a payment: its remaining amount, or an amount in minor units. */
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

  /** While it is down it answers no request of the SDK. Its pages and its events go on. */
  setOutage(isDown: boolean): void {
    this.#isDown = isDown
  }

  /** Writes events from now on as Stripe did, or does. */
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

  /** The signature of a body, as Stripe makes it. */
  sign(body: string, secret: string, at: number): string {
    return signatureOf(body, secret, at)
  }

  /** Sends nothing any more, and does nothing by itself. */
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

  /** A page of another site must neither reach it by a name of its own nor send it forms. */
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
