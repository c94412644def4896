import { StandInRefusal } from "@parley/stripe-stand-in"
import { BillingService, CreditService, OperatorTiers, ResetService, UserService } from "@parley/core/effect"
import { Effect } from "effect"
import type { ComparedShop } from "./ComparedShop.ts"
import { payByLink } from "./payByLink.ts"
import { PEOPLE, type ShopAct } from "./shopActs.ts"

type ActOf<Tag extends ShopAct["_tag"]> = Extract<ShopAct, { readonly _tag: Tag }>

const DAY = 86_400_000
const PAGE = "http://127.0.0.1/"

const chosen = <A>(all: ReadonlyArray<A>, index: number): A | undefined => all[index % Math.max(1, all.length)]

/** The acts of one history, by people with names of their own. An impossible act changes nothing. */
export class ShopHistory {
  readonly #shop: ComparedShop
  readonly #name: string
  readonly #erased = new Set<string>()

  constructor(shop: ComparedShop, name: string) {
    this.#shop = shop
    this.#name = name
  }

  async act(act: ShopAct): Promise<void> {
    try {
      await this.#happens(act)
    } catch (error) {
      if (!(error instanceof StandInRefusal)) throw error
    }
  }

  #person(index: number): string {
    return `${this.#name}-${index % PEOPLE}`
  }

  #happens(act: ShopAct): Promise<void> | void {
    switch (act._tag) {
      case "subscribe":
        return this.#subscribe(act)
      case "buy":
        return this.#buy(act)
      case "wait":
        return this.#wait(act)
      case "spend":
      case "takeBack":
      case "pin":
      case "unpin":
      case "erase":
        return this.#operate(act)
      case "deliver":
        return this.#shop.deliver((events) => (act.isReversed ? events.toReversed() : events))
      case "refund":
      case "dispute":
      case "decide":
        return this.#correct(act)
      default:
        return this.#manage(act)
    }
  }

  /** Opens a checkout page as the dashboard does, and pays there. */
  async #pay(userId: string, priceId: string, options: Parameters<ComparedShop["provider"]["pay"]>[1]) {
    const mode = priceId.startsWith("price_credits") ? "one-time" : "subscription"
    const page = { priceId, mode, successUrl: PAGE, cancelUrl: PAGE, userId, email: undefined } as const
    await this.#shop.run(BillingService.use((billing) => billing.generateCheckoutLink(page)))
    this.#shop.provider.pay(Object.keys(this.#shop.state.sessions).at(-1) ?? "", options)
  }

  /** The customers that were ever created for a person. */
  #customersOf(userId: string): ReadonlySet<string> {
    const all = Object.values(this.#shop.state.customers)
    return new Set(all.filter(({ metadata }) => Object.values(metadata).includes(userId)).map(({ id }) => id))
  }

  #live() {
    return Object.values(this.#shop.state.subscriptions).filter(({ status }) => status !== "canceled")
  }

  /** A second subscription would be a difference, so none is begun here. */
  async #subscribe({ how, price, who }: ActOf<"subscribe">) {
    const userId = this.#person(who)
    const customers = this.#customersOf(userId)
    if (this.#live().some(({ customer }) => customers.has(customer))) return
    await this.#pay(userId, price, { ...(how === "trial" && { trialDays: 14 }), isFree: how === "free" })
  }

  async #buy({ how, price, quantity, who }: ActOf<"buy">) {
    const userId = this.#person(who)
    if (how === "link") return this.#buyByLink(userId, price, quantity)
    await this.#pay(userId, price, { means: how === "card" || how === "free" ? "works" : how, isFree: how === "free" })
  }

  /** A payment link of the operator: its session has no metadata. Payments of erased people would be owed, a difference. */
  async #buyByLink(userId: string, price: string, quantity: number) {
    if (this.#erased.has(userId)) return
    const [customer] = [...this.#customersOf(userId)].slice(-1)
    if (customer === undefined) return
    await payByLink(this.#shop.provider, customer, price, quantity)
  }

  async #wait({ days }: ActOf<"wait">) {
    const { provider } = this.#shop
    provider.moveClock(provider.now() + days * DAY)
    await this.#shop.run(ResetService.use((resets) => resets.run()))
  }

  #manage(act: ActOf<"change" | "cancel" | "resume" | "card" | "payInvoice">): void {
    const { provider, state } = this.#shop
    const live = this.#live()
    if (act._tag === "payInvoice") {
      const open = Object.values(state.invoices).filter(
        ({ status, subscription }) => status === "open" && live.some(({ id }) => id === subscription)
      )
      const invoice = chosen(open, act.nth)
      return invoice && provider.payInvoice(invoice.id)
    }
    const id = chosen(live, act.nth)?.id
    if (id === undefined) return
    switch (act._tag) {
      case "change":
        return provider.changePlan(id, act.price)
      case "cancel":
        return provider.cancel(id, act.when)
      case "resume":
        return provider.resume(id)
      case "card":
        return provider.setCard(id, act.card)
    }
  }

  #correct(act: ActOf<"refund" | "dispute" | "decide">): void {
    const { provider, state } = this.#shop
    if (act._tag === "decide") {
      const open = Object.values(state.disputes).filter(({ status }) => status === "needs_response")
      const dispute = chosen(open, act.nth)
      return dispute && provider.closeDispute(dispute.id, act.outcome)
    }
    const payment = chosen(Object.values(state.payments), act.nth)
    if (payment === undefined) return
    if (act._tag === "dispute") return void provider.openDispute(payment.id)
    provider.refund(payment.id, Math.max(1, Math.floor((payment.amount - payment.refunded) * act.part)))
  }

  async #operate(act: ActOf<"spend" | "takeBack" | "pin" | "unpin" | "erase">) {
    const userId = this.#person(act.who)
    const shop = this.#shop
    await shop.deliver()
    const found = await shop.run(Effect.option(CreditService.use((credits) => credits.find(userId))))
    if (found._tag === "None") return
    switch (act._tag) {
      case "spend": {
        const amount = 0 - Math.floor(found.value.available * act.part)
        const key = crypto.randomUUID()
        if (amount === 0) return
        await shop.run(CreditService.use((credits) => credits.adjust({ userId, amount, key, reason: "spent" })))
        return
      }
      case "takeBack":
        return this.#takeBack(userId, act.part)
      case "pin":
        await shop.run(OperatorTiers.use((tiers) => tiers.set({ userId, tier: act.tier, pin: true, period: "new" })))
        return
      case "unpin":
        return shop.run(OperatorTiers.use((tiers) => tiers.unpin(userId)))
      case "erase":
        return this.#erase(userId)
    }
  }

  /** An operator refunds money by other means. */
  async #takeBack(userId: string, part: number) {
    const [bought] = await this.#shop.query<{ payment_id: string; granted: number; paid: number }>(
      `SELECT payment_id, granted, paid FROM ${this.#shop.schema}.billing_purchases
       WHERE user_id = $1 AND payment_id IS NOT NULL ORDER BY number DESC LIMIT 1`,
      [userId]
    )
    if (bought === undefined) return
    const { granted, paid, payment_id: charge } = bought
    const refunded = Math.floor(paid * part)
    const asked = {
      userId,
      charge,
      granted,
      paid,
      refunded,
      reportedAt: this.#shop.provider.now(),
      by: "operator"
    } as const
    await this.#shop.run(CreditService.use((credits) => credits.refund(asked)))
  }

  /** A later transfer would be owed, so no person is erased before theirs has arrived. */
  async #erase(userId: string) {
    const customers = this.#customersOf(userId)
    const waits = Object.values(this.#shop.state.sessions).some(
      ({ arrival, customer }) => arrival !== undefined && customers.has(customer)
    )
    if (waits) return
    await this.#shop.run(UserService.use((users) => users.erase(userId)))
    this.#erased.add(userId)
  }
}
