import type { Cursor } from "@parley/core/adapter"
import { BillingStore, BillingUpkeep } from "@parley/core/adapter"
import {
  type BillingAct,
  type BillingUnderTest,
  billingUnderTest,
  BillingWorld,
  deliver,
  STORY_START
} from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgBillingUpkeepLayer } from "../../src/billing/PgBillingUpkeep.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgBillingUpkeepLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer)
const ACTS: ReadonlyArray<BillingAct> = [
  { _tag: "subscribe", price: "price_pro" },
  { _tag: "buy", payment: "now" },
  { _tag: "buy", payment: "now" },
  { _tag: "buy", payment: "now" },
  { _tag: "refundPlan", nth: 0, part: 950 }
]

describe.runIf(hasPostgres)("stored payments", () => {
  const scope = Scope.makeUnsafe()
  type Parts = BillingUnderTest | BillingUpkeep
  let parts: Context.Context<Parts>
  let direct: pg.Pool
  const run = <A, E>(work: Effect.Effect<A, E, Parts>) => Effect.runPromise(Effect.provideContext(work, parts))

  beforeAll(async () => {
    const open = Effect.gen(function* () {
      const url = yield* migratedPostgres
      const database = PgDatabaseLayer({ url, maxConnections: 4 })
      const over = stores.pipe(Layer.provide(database))
      parts = yield* Layer.build(Layer.fresh(Layer.provideMerge(billingUnderTest(over), over)))
      direct = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 2 })),
        (pool) => Effect.promise(() => pool.end())
      )
    })
    await Effect.runPromise(Scope.provide(open, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /**
   * A person who subscribed and bought. One after another, events share transactions with those of others; of a
   * person's concurrent events, all but one are applied alone.
   */
  const customer = async (order: "one after another" | "at once" = "one after another") => {
    const name = crypto.randomUUID()
    const world = new BillingWorld(name, STORY_START)
    for (const act of ACTS) world.act(act, 60_000)
    if (order === "at once") await Promise.all(world.events.map((event) => run(deliver(event))))
    else for (const event of world.events) await run(deliver(event))
    return `user-${name}`
  }

  const alteredOf = async (userId: string) => {
    const { rows } = await run(BillingUpkeep.use((upkeep) => upkeep.people({ after: undefined, limit: 1_000 })))
    return rows.find((person) => person.userId === userId)?.altered
  }

  /** As a login with all rights in the database, whom no trigger stops. */
  const tamper = async (statement: string, userId: string) => {
    const client = await direct.connect()
    try {
      await client.query("BEGIN; SET LOCAL session_replication_role = replica")
      const { rowCount } = await client.query(statement, [userId])
      await client.query("COMMIT")
      expect(rowCount).toBeGreaterThan(0)
    } finally {
      client.release()
    }
  }

  it("are as they were written, whichever way they came", async () => {
    const orders = ["one after another", "at once", "at once"] as const
    const people = await Promise.all([...orders, ...orders].map((order) => customer(order)))
    for (const userId of people) expect(await alteredOf(userId)).toEqual([])
  })

  it("are as they were written also once an operator pinned the tier, and once another customer was linked", async () => {
    const userId = await customer()
    await run(BillingStore.use((store) => store.pin({ userId, pinned: true, followed: undefined })))
    const { customerId: replaces } = await run(BillingStore.use((store) => store.account(userId)))
    await run(BillingStore.use((store) => store.link({ userId, customerId: `cus_${crypto.randomUUID()}`, replaces })))
    expect(await alteredOf(userId)).toEqual([])
  })

  const KNOWN = "what is known of the person and of their subscriptions is not as it was written"
  const PURCHASES = "purchases are not as they were written"
  it.each([
    ["a pin", "UPDATE parley.billing_accounts SET pinned = true WHERE user_id = $1", KNOWN],
    ["a customer", "UPDATE parley.billing_accounts SET customer_id = 'cus_of_another' WHERE user_id = $1", KNOWN],
    [
      "what is followed",
      `UPDATE parley.billing_accounts SET followed = followed || '{"periodStart": 1}' WHERE user_id = $1`,
      KNOWN
    ],
    ["what is refunded", "UPDATE parley.billing_accounts SET invoice_reports = '[]' WHERE user_id = $1", KNOWN],
    [
      "a subscription",
      `UPDATE parley.billing_subscriptions SET facts = jsonb_set(facts, '{paid,priceId}', '"price_business"') WHERE user_id = $1`,
      KNOWN
    ],
    ["a subscription that is gone", "DELETE FROM parley.billing_subscriptions WHERE user_id = $1", KNOWN],
    [
      "what a purchase gave",
      "UPDATE parley.billing_purchases SET granted = 70000 WHERE user_id = $1 AND number = 2",
      PURCHASES
    ],
    [
      "when it was",
      "UPDATE parley.billing_purchases SET bought_at = now() WHERE user_id = $1 AND number = 3",
      PURCHASES
    ],
    [
      "the first purchase, gone",
      "DELETE FROM parley.billing_purchases WHERE user_id = $1 AND number = 1",
      "2 of 3 purchases are there"
    ],
    [
      "the newest, gone",
      "DELETE FROM parley.billing_purchases WHERE user_id = $1 AND number = 3",
      "2 of 3 purchases are there"
    ],
    [
      "how many there are",
      "UPDATE parley.billing_accounts SET purchases = 2 WHERE user_id = $1",
      "3 of 2 purchases are there"
    ],
    [
      "the customer's link, gone",
      "DELETE FROM parley.payment_references WHERE owner = $1 AND reference LIKE 'customer:%'",
      "1 references of the person are not linked to the person"
    ],
    [
      "links of payments and invoices, to somebody else",
      "UPDATE parley.payment_references SET owner = 'eve' WHERE owner = $1 AND reference ~ '^(payment|invoice):'",
      "4 references of the person are not linked to the person"
    ],
    [
      "the row of the person, gone",
      "DELETE FROM parley.billing_accounts WHERE user_id = $1",
      "nothing is kept of the person's payments"
    ]
  ])("that are changed by hand are found: %s", async (_what, statement, found) => {
    const userId = await customer()
    await tamper(statement, userId)
    expect(await alteredOf(userId)).toContainEqual(expect.stringContaining(found))
    expect(await alteredOf(await customer())).toEqual([])
  })

  it("are found to be gone also where nothing but a reference or the ledger tells of them", async () => {
    const userId = await customer()
    for (const table of ["billing_accounts", "billing_purchases", "billing_subscriptions"]) {
      await tamper(`DELETE FROM parley.${table} WHERE user_id = $1`, userId)
    }
    expect(await alteredOf(userId)).toEqual(["nothing is kept of the person's payments"])
    await tamper("DELETE FROM parley.payment_references WHERE owner = $1", userId)
    expect(await alteredOf(userId)).toEqual(["nothing is kept of the person's payments"])
  })

  it("are neither deleted nor, once bought, changed, also by the owner of the tables", async () => {
    const userId = await customer()
    for (const statement of [
      "DELETE FROM parley.billing_accounts WHERE user_id = $1",
      "DELETE FROM parley.billing_subscriptions WHERE user_id = $1",
      "DELETE FROM parley.billing_purchases WHERE user_id = $1",
      "UPDATE parley.billing_purchases SET granted = 1 WHERE user_id = $1"
    ]) {
      await expect(direct.query(statement, [userId])).rejects.toMatchObject({ code: "23001" })
    }
    await expect(direct.query("TRUNCATE parley.billing_purchases")).rejects.toMatchObject({ code: "23001" })
    expect(await alteredOf(userId)).toEqual([])
  })

  it("are read page by page, each person once", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => customer()))
    const found: Array<string> = []
    let after: Cursor | undefined
    do {
      const page = await run(BillingUpkeep.use((upkeep) => upkeep.people({ after, limit: 3 })))
      found.push(...page.rows.map(({ userId }) => userId))
      after = page.next
    } while (after !== undefined)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(people))
    expect(found).toEqual(found.toSorted())
  })
})
