import type { InvoiceLine, PaymentEvent, ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"
import {
  type BillingAct,
  boundsOf,
  CREDITS,
  DAY,
  type ExpectedAccount,
  expectedAccount,
  HOUR,
  MINUTE,
  monthsOf,
  mostEver,
  PLAN_PAID,
  TOPUP,
  type WorldPurchase,
  type WorldSubscription
} from "./billingBooks.ts"
import type { PlanPrice } from "./worldCatalog.ts"

/**
 * A payment provider and its customer, as a story: acts happen one after another, each at its time, and produce the
 * events that the provider would send. The expected result is computed from the story itself, not from the events.
 */
export class BillingWorld {
  readonly events: Array<ReceivedPaymentEvent> = []
  now: number
  private readonly subscriptions: Array<WorldSubscription> = []
  private readonly purchases: Array<WorldPurchase> = []
  private readonly userId: string
  readonly customerId: string
  private readonly name: string

  constructor(name: string, start: number) {
    this.name = name
    this.userId = `user-${name}`
    this.customerId = `cus_${name}`
    this.now = start
  }

  private emit(kind: string, event: PaymentEvent, at = this.now): void {
    const created = Math.floor(at / 1_000) * 1_000
    const id = `evt_${this.name}_${this.events.length}`
    const customerId = event._tag === "Dispute" ? undefined : this.customerId
    const received = { id, kind, createdAt: created, customerId, event }
    this.events.push({ ...received, payload: JSON.stringify(received) })
  }

  private report(one: WorldSubscription, kind: string, at = this.now): void {
    const { end: periodEnd, start: periodStartAt } = boundsOf(one)
    this.emit(
      kind,
      {
        _tag: "Subscription",
        subscription: {
          id: one.id,
          customerId: this.customerId,
          userId: this.userId,
          status: one.status,
          items: [{ priceId: one.price, periodStart: periodStartAt, periodEnd }],
          startedAt: one.begun,
          endsAt: undefined,
          endedAt: one.ended
        }
      },
      at
    )
  }

  private invoice(
    one: WorldSubscription,
    reason: "create" | "cycle" | "update",
    at: number,
    lines: ReadonlyArray<Partial<InvoiceLine>>,
    amountPaid: number
  ): string {
    const { end: periodEnd, start: periodStart } = boundsOf(one)
    const own = { priceId: one.price, subscriptionId: one.id, isProration: false, quantity: 1 }
    const invoiceId = `in_${this.name}_${this.events.length}`
    this.emit(
      "invoice.paid",
      {
        _tag: "InvoicePaid",
        invoice: {
          id: invoiceId,
          customerId: this.customerId,
          subscriptionId: one.id,
          userId: this.userId,
          reason,
          amountPaid,
          currency: "usd",
          lines: lines.map((line) => ({ ...own, periodStart, periodEnd, amount: amountPaid, ...line })),
          createdAt: at
        }
      },
      at
    )
    return invoiceId
  }

  /** Pays a period; within a trial there is nothing to pay. */
  private payPeriod(one: WorldSubscription, reason: "create" | "cycle" | "update", at: number): void {
    const { start } = boundsOf(one)
    const paid = one.trialDays > 0 && one.period === 0 ? 0 : PLAN_PAID
    // A credit for another price and a part of a period: it has no consequences.
    const credit = { isProration: true, priceId: "price_business", periodStart: start - 1, amount: -100 }
    const invoiceId = this.invoice(one, reason, at, [credit, {}], paid)
    one.paidPeriod = one.period
    one.payment = { invoiceId, refunded: 0, disputed: 0, isWon: false }
    one.pricesOfPaid = [one.price]
    one.allPaid.push({ months: one.months, prices: one.pricesOfPaid, payment: one.payment })
  }

  private live(nth: number, wanted: (one: WorldSubscription) => boolean = () => true): WorldSubscription | undefined {
    const all = this.subscriptions.filter((one) => one.ended === undefined && wanted(one))
    return all.length === 0 ? undefined : all[nth % all.length]
  }

  /**
   * Performs one act, `after` milliseconds after the previous one; does nothing if the act is impossible at the moment.
   */
  act(act: BillingAct, after: number): void {
    this.now += Math.floor(Math.max(2 * MINUTE, after) / 1_000) * 1_000
    switch (act._tag) {
      case "subscribe":
        return this.subscribe(act.price, act.trialDays ?? 0)
      case "renew": {
        const one = this.live(act.nth, ({ status }) => status === "active" || status === "trialing")
        return one && this.renew(one, act.isPaid)
      }
      case "recover": {
        const one = this.live(act.nth, ({ status }) => status === "past-due")
        if (one === undefined) return
        one.status = "active"
        this.payPeriod(one, "cycle", this.now)
        return this.report(one, "customer.subscription.updated")
      }
      case "change":
        return this.change(act)
      case "cancel": {
        const one = this.live(act.nth)
        if (one === undefined) return
        one.status = "ended"
        one.ended = this.now
        return this.report(one, "customer.subscription.deleted")
      }
      case "buy":
        return this.buy(act.payment)
      case "refund":
        return this.refund(act.nth, act.part)
      case "dispute":
        return this.dispute(act.nth, act.isWon)
      case "refundPlan":
        return this.refundPlan(act.nth, act.part)
      case "disputePlan":
        return this.disputePlan(act.nth, act.isWon)
    }
  }

  private subscribe(price: PlanPrice, trialDays: number): void {
    const one: WorldSubscription = {
      id: `sub_${this.name}_${this.subscriptions.length}`,
      begun: this.now,
      trialDays,
      months: monthsOf(price),
      sinceNumber: trialDays > 0 ? 1 : 0,
      since: this.now + trialDays * DAY,
      price,
      status: "incomplete",
      period: 0,
      paidPeriod: -1,
      pricesOfPaid: [],
      allPaid: [],
      ended: undefined,
      payment: undefined
    }
    this.subscriptions.push(one)
    this.report(one, "customer.subscription.created")
    one.status = trialDays > 0 ? "trialing" : "active"
    this.payPeriod(one, "create", this.now)
    this.report(one, "customer.subscription.updated")
    this.emit(
      "checkout.session.completed",
      {
        _tag: "Checkout",
        session: {
          id: `cs_${this.name}_${this.events.length}`,
          mode: "subscription",
          customerId: this.customerId,
          userId: this.userId,
          priceId: price,
          subscriptionId: one.id,
          paymentId: undefined,
          isPaid: true,
          amountTotal: 1_900,
          currency: "usd",
          createdAt: this.now - 10 * MINUTE
        }
      },
      this.now + 1_000
    )
  }

  private renew(one: WorldSubscription, isPaid: boolean): void {
    const { end } = boundsOf(one)
    this.now = Math.max(this.now, end)
    one.period += 1
    one.status = "active"
    this.report(one, "customer.subscription.updated", end > this.now - HOUR ? end : this.now)
    this.now += HOUR
    if (isPaid) return this.payPeriod(one, "cycle", this.now)
    one.status = "past-due"
    this.report(one, "customer.subscription.updated")
  }

  private change({ nth, payment = "now", price }: Extract<BillingAct, { readonly _tag: "change" }>): void {
    const one = this.live(nth, ({ status }) => status === "active" || status === "trialing")
    if (one === undefined || price === one.price || this.now >= boundsOf(one).end) return
    if (one.status === "trialing") return this.changeTrial(one, price)
    if (monthsOf(price) !== one.months) return this.changeLength(one, price)
    // The payment of a year grants its credits month by month, and the provider reports no change within the year.
    if (one.months > 1) return
    const isDearer = CREDITS[price] > CREDITS[one.price]
    const rest = { isProration: true, periodStart: this.now }
    const lines = [
      { ...rest, priceId: one.price, amount: isDearer ? -500 : -900 },
      { ...rest, priceId: price, amount: isDearer ? 900 : 500 }
    ]
    one.price = price
    this.report(one, "customer.subscription.updated")
    if (!isDearer) return void this.invoice(one, "update", this.now + 1_000, lines, 0)
    if (payment === "never") return
    const isOfPaid = one.period === one.paidPeriod
    if (payment === "late") this.now += DAY
    this.invoice(one, "update", this.now + 1_000, lines, 400)
    if (isOfPaid) one.pricesOfPaid.push(price)
  }

  /** Changes the plan within a trial: there is nothing to pay, and no other period begins. */
  private changeTrial(one: WorldSubscription, price: PlanPrice): void {
    if (monthsOf(price) !== one.months) return
    one.price = price
    this.report(one, "customer.subscription.updated")
    this.invoice(one, "update", this.now + 1_000, [{ periodStart: this.now }], 0)
  }

  /**
   * Changes to a plan of another length, which begins at once with a new period; the rest of the previous period is
   * credited.
   */
  private changeLength(one: WorldSubscription, price: PlanPrice): void {
    one.price = price
    one.months = monthsOf(price)
    one.period += 1
    one.sinceNumber = one.period
    one.since = this.now
    this.payPeriod(one, "update", this.now)
    this.report(one, "customer.subscription.updated")
  }

  private buy(payment: "now" | "late" | "never"): void {
    const index = this.events.length
    const bought: WorldPurchase = {
      sessionId: `cs_buy_${this.name}_${index}`,
      paymentId: `pi_${this.name}_${index}`,
      refunded: 0,
      disputed: 0,
      isWon: false
    }
    if (payment !== "never") this.purchases.push(bought)
    const emit = (kind: string, isPaid: boolean, at: number) =>
      this.emit(
        kind,
        {
          _tag: "Checkout",
          session: {
            id: bought.sessionId,
            mode: "one-time",
            customerId: this.customerId,
            userId: this.userId,
            priceId: "price_credits",
            subscriptionId: undefined,
            paymentId: bought.paymentId,
            isPaid,
            amountTotal: TOPUP.paid,
            currency: "usd",
            createdAt: this.now
          }
        },
        at
      )
    emit("checkout.session.completed", payment === "now", this.now)
    if (payment !== "late") return
    this.now += DAY
    emit("checkout.session.async_payment_succeeded", true, this.now)
    // Two kinds of events may report the same payment.
    emit("checkout.session.completed", true, this.now + 1_000)
  }

  private refund(nth: number, part: number): void {
    const bought = this.purchases[nth % Math.max(1, this.purchases.length)]
    if (bought === undefined || bought.refunded + part > TOPUP.paid) return
    bought.refunded += part
    this.emit("charge.refunded", {
      _tag: "Charge",
      charge: {
        id: `ch_${bought.paymentId}`,
        paymentId: bought.paymentId,
        customerId: this.customerId,
        amount: TOPUP.paid,
        amountRefunded: bought.refunded,
        currency: "usd"
      }
    })
  }

  private dispute(nth: number, isWon: boolean): void {
    const bought = this.purchases[nth % Math.max(1, this.purchases.length)]
    if (bought === undefined || bought.disputed > 0) return
    bought.disputed = TOPUP.paid
    const emit = (kind: string, funds: "withdrawn" | "reinstated") =>
      this.emit(kind, {
        _tag: "Dispute",
        dispute: {
          id: `dp_${bought.paymentId}`,
          chargeId: `ch_${bought.paymentId}`,
          paymentId: bought.paymentId,
          amount: TOPUP.paid,
          currency: "usd",
          funds
        }
      })
    emit("charge.dispute.funds_withdrawn", "withdrawn")
    if (!isWon) return
    this.now += DAY
    bought.isWon = true
    emit("charge.dispute.funds_reinstated", "reinstated")
  }

  private refundPlan(nth: number, part: number): void {
    const payment = this.live(nth, ({ months }) => months === 1)?.payment
    if (payment === undefined || payment.refunded + part > PLAN_PAID) return
    payment.refunded += part
    this.emit("charge.refunded", {
      _tag: "Charge",
      charge: {
        id: `ch_${payment.invoiceId}`,
        paymentId: `pi_${payment.invoiceId}`,
        customerId: this.customerId,
        amount: PLAN_PAID,
        amountRefunded: payment.refunded,
        currency: "usd",
        invoiceId: payment.invoiceId
      }
    })
  }

  private disputePlan(nth: number, isWon: boolean): void {
    const payment = this.live(nth, ({ months }) => months === 1)?.payment
    if (payment === undefined || payment.disputed > 0) return
    payment.disputed = PLAN_PAID
    const emit = (kind: string, funds: "withdrawn" | "reinstated") =>
      this.emit(kind, {
        _tag: "Dispute",
        dispute: {
          id: `dp_${payment.invoiceId}`,
          chargeId: `ch_${payment.invoiceId}`,
          paymentId: `pi_${payment.invoiceId}`,
          amount: PLAN_PAID,
          currency: "usd",
          funds,
          invoiceId: payment.invoiceId
        }
      })
    emit("charge.dispute.funds_withdrawn", "withdrawn")
    if (!isWon) return
    this.now += DAY
    payment.isWon = true
    emit("charge.dispute.funds_reinstated", "reinstated")
  }

  /** See `mostEver`. */
  mostEver(at: number): number {
    return mostEver(this.subscriptions, this.purchases, at)
  }

  /** See `expectedAccount`. */
  expected(opened: number, at: number): ExpectedAccount {
    return expectedAccount(this.subscriptions, this.purchases, opened, at)
  }
}
