import { PgCreditLedgerLayer, PgDatabaseLayer } from "@parley/adapters-db"
import type { StoredEvent } from "@parley/stripe-stand-in"
import { testedLedger } from "@parley/core/testing"
import { type PaymentDifference } from "@parley/core/effect"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { serverUrl } from "../crash/CrashRig.ts"
import type { RunningServer } from "../processes/RunningServer.ts"
import { payByLink } from "./payByLink.ts"
import { PaymentRig } from "./PaymentRig.ts"

/** The output of `parley credits verify --with-payments --json`. */
export interface Verified {
  readonly exit: number | null
  readonly differences: ReadonlyArray<object>
  readonly payments: { readonly differences: ReadonlyArray<PaymentDifference> }
}

/** A server process on real Postgres and a provider, whose events a test delivers or loses. */
export class PlantedShop implements AsyncDisposable {
  readonly rig: PaymentRig
  readonly #server: RunningServer

  private constructor(rig: PaymentRig, server: RunningServer) {
    this.rig = rig
    this.#server = server
  }

  /** `daysAgo`: as in `Shop.open`. */
  static async open(daysAgo?: number): Promise<PlantedShop> {
    const rig = await PaymentRig.open(daysAgo)
    return new PlantedShop(rig, await rig.start())
  }

  get provider() {
    return this.rig.shop.provider
  }

  /** Does something at the provider, and delivers its events. */
  async heard(acts: () => unknown): Promise<void> {
    await this.#send(await this.rig.eventsOf(acts))
  }

  /** Does something at the provider, and loses its events. */
  async unheard(acts: () => unknown): Promise<void> {
    await this.rig.eventsOf(acts)
  }

  async #send(events: ReadonlyArray<StoredEvent>) {
    for (const event of events) expect(await this.rig.send(event, this.#server)).toBe(200)
  }

  subscribes(userId: string, price = "price_pro", trialDays = 0): Promise<string> {
    return this.rig.shop.buy(userId, price, "subscription", { trialDays })
  }

  buys(userId: string, price = "price_credits"): Promise<string> {
    return this.rig.shop.buy(userId, price, "one-time")
  }

  /** Pays by a payment link as the person's linked customer. */
  async paysByLink(userId: string, price: string, quantity?: number): Promise<void> {
    await payByLink(this.provider, await this.customerOf(userId), price, quantity)
  }

  get lastPayment(): string {
    return this.provider.payments.at(-1) ?? ""
  }

  async customerOf(userId: string): Promise<string> {
    return this.#stored(userId, "customer_id AS id", "billing_accounts")
  }

  async subscriptionOf(userId: string): Promise<string> {
    return this.#stored(userId, "subscription_id AS id", "billing_subscriptions")
  }

  async #stored(userId: string, column: string, table: string): Promise<string> {
    const text = `SELECT ${column} FROM ${this.rig.schema}.${table} WHERE user_id = $1`
    const [row] = await this.rig.query<{ id: string }>(text, [userId])
    return row?.id ?? ""
  }

  /** Runs a command that has to succeed. */
  async parley(...argv: ReadonlyArray<string>): Promise<void> {
    const { exit, stderr } = await this.rig.parley(...argv)
    expect([exit, stderr]).toEqual([0, expect.anything()])
  }

  /** Compares the last days; default 30. */
  async verify(days?: number): Promise<Verified> {
    const since = days === undefined ? [] : ["--since", new Date(Date.now() - days * 86_400_000).toISOString()]
    const { exit, stdout } = await this.rig.parley("credits", "verify", "--with-payments", "--json", ...since)
    return { exit, ...(JSON.parse(stdout) as Omit<Verified, "exit">) }
  }

  /** Changes one row as a superuser, without triggers. */
  async tamper(statement: string): Promise<void> {
    await this.rig.query(`DO $do$
      DECLARE changed bigint;
      BEGIN
        SET LOCAL session_replication_role = replica;
        ${statement};
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed <> 1 THEN RAISE EXCEPTION '% rows are changed', changed; END IF;
      END $do$`)
  }

  /** Grants credits for a session that the provider does not have, without an event. */
  async grantsWithoutPayment(userId: string): Promise<void> {
    const payment = { charge: "pi_of_nothing", paid: 990 }
    const grant = { userId, key: "topup:cs_of_nothing", type: "topup", amount: 700, payment } as const
    const database = PgDatabaseLayer({ url: serverUrl, schema: this.rig.schema, maxConnections: 1 })
    const credits = Layer.provide(PgCreditLedgerLayer, database)
    const granting = Effect.flatMap(testedLedger, (operations) => operations.grant(grant))
    await Effect.runPromise(Effect.scoped(Effect.provide(granting, credits)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
    await this.rig[Symbol.asyncDispose]()
  }
}
