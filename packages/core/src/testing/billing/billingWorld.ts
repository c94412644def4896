import type { PaymentEvent, ReceivedPaymentEvent } from "../../billing/PaymentEvent.ts"
import {
  type BillingAct,
  boundsOf,
  CREDITS,
  CREDITS_OF_FREE,
  DAY,
  type ExpectedAccount,
  HOUR,
  MINUTE,
  monthAt,
  monthsOf,
  outOfPlan,
  PLAN_PAID,
  TIERS,
  TOPUP,
  topupOf,
  type WorldPurchase,
  type WorldSubscription
} from "./billingBooks.ts"
import type { PlanPrice } from "./worldCatalog.ts"

/**
 * A payment provider and its customer, told as a story: acts happen one after another, each at its time, and make the
 * events that the provider would send. What is to come of it is known from the story itself, not from the events.
 */
export class BillingWorld {
  readonly events: Array<ReceivedPaymentEvent> = []
  now: number
  private readonly subscriptions: Array<WorldSubscription> = []
  private readonly purchases: Array<WorldPurchase> = []
  private readonly userId: string
  private readonly customerId: string
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

  private invoice(one: WorldSubscription, reason: "create" | "cycle" | "update", at: number, proration = false): void {
    const { end: periodEnd, start } = boundsOf(one)
    const line = { priceId: one.price, subscriptionId: one.id, periodStart: start, periodEnd, isProration: false }
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
          amountPaid: PLAN_PAID,
          currency: "usd",
          // A proration may name any price and part of a period: nothing may follow from it.
          lines: proration
            ? [{ ...line, isProration: true, periodStart: this.now, periodEnd: periodEnd + 400 * DAY }]
            : [{ ...line, isProration: true, priceId: "price_business", periodStart: start - 1 }, line],
          createdAt: at
        }
      },
      at
    )
    if (proration) return
    one.paidPeriod = one.period
    one.payment = { invoiceId, refunded: 0, disputed: 0, isWon: false }
    one.pricesOfPaid = [one.price]
    one.allPaid.push({ months: one.months, prices: one.pricesOfPaid })
  }

  private live(nth: number, wanted: (one: WorldSubscription) => boolean = () => true): WorldSubscription | undefined {
    const all = this.subscriptions.filter((one) => one.ended === undefined && wanted(one))
    return all.length === 0 ? undefined : all[nth % all.length]
  }

  /** Does one act, some time after the one before; what is impossible at the moment does nothing. */
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
        this.invoice(one, "cycle", this.now)
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
    this.invoice(one, "create", this.now)
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
    if (isPaid) return this.invoice(one, "cycle", this.now)
    one.status = "past-due"
    this.report(one, "customer.subscription.updated")
  }

  private change({ nth, price }: Extract<BillingAct, { readonly _tag: "change" }>): void {
    const one = this.live(nth, ({ status }) => status === "active")
    if (one === undefined || price === one.price) return
    if (monthsOf(price) !== one.months) return this.changeLength(one, price)
    // What a year is paid for gives its credits month by month: the world tells of no change within one.
    if (one.months > 1) return
    one.price = price
    if (one.period === one.paidPeriod) one.pricesOfPaid.push(price)
    this.report(one, "customer.subscription.updated")
    this.invoice(one, "update", this.now + 1_000, true)
  }

  /** A plan of another length begins at once, with a period of its own; what is left of the one before is credited. */
  private changeLength(one: WorldSubscription, price: PlanPrice): void {
    one.price = price
    one.months = monthsOf(price)
    one.period += 1
    one.sinceNumber = one.period
    one.since = this.now
    this.invoice(one, "update", this.now)
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
    // Two kinds of events may tell of one payment.
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

  /** The most that may ever be given until `at`, where the monthly job never runs: each period once, each purchase once. */
  mostEver(at: number): number {
    let sum = CREDITS_OF_FREE + TOPUP.granted * this.purchases.length
    for (const { allPaid, begun } of this.subscriptions) {
      const monthsUntil = Math.ceil((at - begun) / (28 * DAY)) + 1
      for (const { months, prices } of allPaid) {
        sum += Math.min(months, monthsUntil) * Math.max(...prices.map((price) => CREDITS[price]))
      }
    }
    return sum
  }

  /**
   * What the account is to be at `at`, where nothing was ever spent and the monthly job has run. `opened` is when the
   * person was first seen.
   */
  expected(opened: number, at: number): ExpectedAccount {
    const topup = topupOf(this.purchases)
    const live = this.subscriptions.filter(({ ended }) => ended === undefined)
    const dearestOf = (one: WorldSubscription) =>
      one.pricesOfPaid.toSorted((a, b) => CREDITS[b] - CREDITS[a])[0] as PlanPrice
    const inArrears = (one: WorldSubscription) => Number(one.status === "past-due")
    const [current] = live.toSorted(
      (a, b) => inArrears(a) - inArrears(b) || CREDITS[dearestOf(b)] - CREDITS[dearestOf(a)] || b.begun - a.begun
    )
    if (current !== undefined) {
      const paid = boundsOf(current, current.paidPeriod)
      const isYear = paid.end - paid.start > 45 * DAY
      const { end, start } = isYear ? monthAt(paid.start, Math.min(at, paid.end - 1)) : paid
      const price = dearestOf(current)
      return {
        tier: TIERS[price],
        allowance: CREDITS[price] - outOfPlan(current),
        topup,
        periodStart: start,
        nextResetAt: end,
        renewedBy: isYear ? "schedule" : "invoice"
      }
    }
    const ends = this.subscriptions.flatMap(({ ended }) => ended ?? [])
    const anchor = ends.length === 0 ? opened : Math.floor(Math.max(...ends) / 1_000) * 1_000
    const { end, start } = monthAt(anchor, at)
    return {
      tier: "free",
      allowance: CREDITS_OF_FREE,
      topup,
      periodStart: start,
      nextResetAt: end,
      renewedBy: "schedule"
    }
  }
}
