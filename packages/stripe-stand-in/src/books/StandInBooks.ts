import { randomBytes } from "node:crypto"
import { days } from "./calendar.ts"
import {
  renderCharge,
  renderDispute,
  renderInvoice,
  renderPayment,
  renderRefund,
  renderSession,
  renderSubscription,
  type View
} from "./render.ts"
import type {
  Dispute,
  Invoice,
  Payment,
  Refund,
  Session,
  StandInPrice,
  StandInState,
  StoredEvent,
  Subscription
} from "./StandInState.ts"

/**
 * The forms in which the stand-in writes events: the one before Stripe's version of 2025-03-31, and the current one.
 */
export const STAND_IN_GENERATIONS = ["2024-06-20", "2026-10-28.endive"] as const
export type StandInGeneration = (typeof STAND_IN_GENERATIONS)[number]

/** True for versions of Stripe's interface before 2025-03-31. */
export const isOldVersion = (version: string): boolean => version < "2025-03-31"

/** The days for which events are stored, as at Stripe. */
const EVENTS_KEPT_DAYS = 30

/** The settings of the customer portal by feature: those settings of Stripe's that `docs/billing.md` names. */
export type PortalFeatures = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The settings of the portal that `docs/billing.md` requires. */
export const PORTAL_FEATURES: PortalFeatures = {
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: "at_period_end" },
  subscription_update: {
    enabled: true,
    default_allowed_updates: ["price"],
    proration_behavior: "always_invoice",
    schedule_at_period_end: { conditions: [{ type: "decreasing_item_amount" }, { type: "shortening_interval" }] },
    trial_update_behavior: "continue_trial"
  }
}

/** The stand-in cannot do what a person asked for; the message says why, for that person. */
export class StandInRefusal extends Error {
  override readonly name = "StandInRefusal"
}

export interface BooksOptions {
  readonly state: StandInState
  readonly prices: ReadonlyArray<StandInPrice>
  readonly generation: StandInGeneration
  /** Returns the real time in Unix milliseconds. */
  readonly realNow: () => number
  /** Returns the address of a page of the stand-in. */
  readonly pageUrl: (path: string) => string
  readonly onEvent: (event: StoredEvent) => void
  /** The features of the portal, by Stripe's names. */
  readonly portal: PortalFeatures
}

/** The object that an event reports. */
type Reported =
  | { readonly session: Session }
  | { readonly subscription: Subscription }
  | { readonly invoice: Invoice }
  | { readonly charge: Payment }
  | { readonly payment: Payment }
  | { readonly refund: Refund }
  | { readonly dispute: Dispute }

const rendered = (reported: Reported, view: View): object => {
  if ("session" in reported) return renderSession(reported.session, view)
  if ("subscription" in reported) return renderSubscription(reported.subscription, view)
  if ("invoice" in reported) return renderInvoice(reported.invoice, view)
  if ("charge" in reported) return renderCharge(reported.charge, view)
  if ("payment" in reported) return renderPayment(reported.payment)
  if ("refund" in reported) return renderRefund(reported.refund, view)
  return renderDispute(reported.dispute, view)
}

/** The state of the stand-in, its clock, and the events of changes. The rules of payments are in the files beside it. */
export class StandInBooks {
  readonly state: StandInState
  readonly #options: BooksOptions
  readonly #prices: Map<string, StandInPrice>
  #generation: StandInGeneration
  /** The time at which due work is being done, if that is earlier than now. */
  #moment: number | undefined

  constructor(options: BooksOptions) {
    this.#options = options
    this.state = options.state
    this.#prices = new Map(options.prices.map((price) => [price.id, price]))
    this.#generation = options.generation
  }

  /** Returns the stand-in's time in whole seconds. */
  now(): number {
    return this.#moment ?? Math.floor((this.#options.realNow() + this.state.aheadMs) / 1000)
  }

  /** Runs `work` as if the current time were `moment`. */
  asOf<A>(moment: number, work: () => A): A {
    const before = this.#moment
    this.#moment = moment
    try {
      return work()
    } finally {
      this.#moment = before
    }
  }

  /** Moves the clock to a later time, given in seconds. */
  moveClock(to: number): void {
    this.state.aheadMs = to * 1000 - this.#options.realNow()
  }

  /** Changes the generation of the form in which later events are written. */
  set generation(generation: StandInGeneration) {
    this.#generation = generation
  }

  get generation(): StandInGeneration {
    return this.#generation
  }

  newId(prefix: string): string {
    return `${prefix}_${randomBytes(12).toString("hex")}`
  }

  get portal(): PortalFeatures {
    return this.#options.portal
  }

  pageUrl(path: string): string {
    return this.#options.pageUrl(path)
  }

  prices(): ReadonlyArray<StandInPrice> {
    return [...this.#prices.values()]
  }

  knownPrice(id: string): StandInPrice | undefined {
    return this.#prices.get(id)
  }

  /** Returns the price of a purchase. If the price is no longer on sale, only its id is known. */
  price(id: string): StandInPrice {
    return this.#prices.get(id) ?? { id, name: id, amount: 0, currency: "usd", every: { unit: "month", count: 1 } }
  }

  payment(id: string): Payment {
    const payment = this.state.payments[id]
    if (payment === undefined) throw new StandInRefusal(`There is no payment ${id}.`)
    return payment
  }

  invoiceOfPayment(id: string): Invoice | undefined {
    return Object.values(this.state.invoices).find(({ payment }) => payment === id)
  }

  paymentOfCharge(charge: string): Payment | undefined {
    return Object.values(this.state.payments).find((payment) => payment.charge === charge)
  }

  subscription(id: string): Subscription {
    const subscription = this.state.subscriptions[id]
    if (subscription === undefined) throw new StandInRefusal(`There is no subscription ${id}.`)
    return subscription
  }

  session(id: string): Session {
    const session = this.state.sessions[id]
    if (session === undefined) throw new StandInRefusal(`There is no checkout ${id}.`)
    return session
  }

  /** Stores an event about an object, in the current form of events, and announces it. */
  emit(kind: string, reported: Reported): void {
    const created = this.now()
    const id = this.newId("evt")
    const view = { books: this, isOld: isOldVersion(this.#generation) }
    const text = JSON.stringify({
      id,
      object: "event",
      api_version: this.#generation,
      created,
      data: { object: rendered(reported, view) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: kind
    })
    const event: StoredEvent = { id, kind, created, text, isPending: true, failures: 0 }
    const oldest = created - days(EVENTS_KEPT_DAYS)
    this.state.events = [...this.state.events.filter((kept) => kept.isPending || kept.created >= oldest), event]
    this.#options.onEvent(event)
  }
}
