import type { StoredEvent } from "@parley/stripe-stand-in"
import type { Difference } from "@parley/core/adapter"
import { CrashRig } from "../crash/CrashRig.ts"
import type { Ended } from "../processes/ParleyProcess.ts"
import type { RunningServer } from "../processes/RunningServer.ts"
import { SECRET, Shop, shopConfig } from "./Shop.ts"

/** Everything that is stored of a person's payments. */
export interface StoredPayments {
  readonly account: object | undefined
  /** Each row of the ledger, oldest first. */
  readonly rows: ReadonlyArray<object>
  /** The number of events of each kind and state. */
  readonly events: ReadonlyArray<object>
  readonly purchases: number
  readonly subscriptions: number
}

/** Real server processes on one Postgres schema, and a provider whose events the test sends. */
export class PaymentRig implements AsyncDisposable {
  readonly shop: Shop
  readonly #rig: CrashRig

  private constructor(shop: Shop) {
    this.shop = shop
    this.#rig = new CrashRig(shopConfig, { ...shop.environment, PARLEY_RESET: "off", PARLEY_CATCH_UP: "off" })
  }

  /** `daysAgo`: as in `Shop.open`. */
  static async open(daysAgo = 0): Promise<PaymentRig> {
    const shop = await Shop.open(daysAgo)
    shop.provider.deliveries.hold = true
    return new PaymentRig(shop)
  }

  start(): Promise<RunningServer> {
    return this.#rig.start()
  }

  parley(...argv: ReadonlyArray<string>): Promise<Ended> {
    return this.#rig.parley(argv)
  }

  /** The folder and the environment of every command. */
  get command(): { readonly folder: string; readonly environment: Readonly<Record<string, string>> } {
    return this.#rig
  }

  /** The provider's events for the changes in `acts`. */
  async eventsOf(acts: () => unknown): Promise<ReadonlyArray<StoredEvent>> {
    const known = new Set(this.shop.provider.events.map(({ id }) => id))
    await acts()
    return this.shop.provider.events.filter(({ id }) => !known.has(id))
  }

  /** Sends an event as the provider does; returns the response's status, 0 without a response. */
  async send({ text }: Pick<StoredEvent, "text">, { url }: Pick<RunningServer, "url">): Promise<number> {
    try {
      const response = await fetch(`${url}/api/webhooks/payment`, {
        method: "POST",
        body: text,
        headers: {
          "content-type": "application/json",
          "stripe-signature": this.shop.provider.sign(text, SECRET, Date.now())
        }
      })
      await response.body?.cancel()
      return response.status
    } catch {
      return 0
    }
  }

  get schema(): string {
    return this.#rig.schema
  }

  /** Queries the database. */
  query<R extends Record<string, unknown>>(
    text: string,
    params: ReadonlyArray<unknown> = []
  ): Promise<ReadonlyArray<R>> {
    return this.#rig.query<R>(text, params)
  }

  connectionsGone(): Promise<void> {
    return this.#rig.connectionsGone()
  }

  /** Everything that `parley credits verify` would find wrong. */
  differences(): Promise<ReadonlyArray<Difference>> {
    return this.#rig.differences()
  }

  async storedOf(userId: string): Promise<StoredPayments> {
    const { schema } = this.#rig
    const [stored] = await this.#rig.query<Record<string, unknown> & { readonly stored: StoredPayments }>(
      `SELECT json_build_object(
         'account', (SELECT json_build_object('tier', a.tier, 'allowance', a.allowance, 'topup', a.topup, 'debt', a.debt)
           FROM ${schema}.credit_accounts a WHERE a.user_id = $1),
         'rows', (SELECT coalesce(json_agg(json_build_object('type', t.type, 'amount', t.amount) ORDER BY t.number), '[]')
           FROM ${schema}.credit_transactions t WHERE t.user_id = $1),
         'events', (SELECT coalesce(json_agg(to_json(e) ORDER BY e.kind, e.state), '[]') FROM (
           SELECT kind, state, count(*) FROM ${schema}.payment_events WHERE owner = $1 GROUP BY kind, state) e),
         'purchases', (SELECT count(*) FROM ${schema}.billing_purchases WHERE user_id = $1),
         'subscriptions', (SELECT count(*) FROM ${schema}.billing_subscriptions WHERE user_id = $1)
       ) AS stored`,
      [userId]
    )
    if (stored === undefined) throw new Error("The database gave no answer.")
    return stored.stored
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rig[Symbol.asyncDispose]()
    await this.shop.close()
  }
}
