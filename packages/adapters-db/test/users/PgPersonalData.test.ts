import { AccessList } from "@parley/core/effect"
import { Catalog, CrmRelease, noCrmLayer, noPayments, SecurityEvents, UserService } from "@parley/core/effect"
import { type CreditPorts, CreditRecords } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { defaultCatalog } from "@parley/core"
import { Outbox, PaymentEventStore, PersonalData, closeAccount, paymentProviderLayer } from "@parley/core/adapter"
import { newUserId, personalDataContract, type Run, suiteOn, userExportContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

type Parts = Database | DatabaseOwner | CreditPorts | Outbox | PaymentEventStore | PersonalData | UserService

/** The subscriptions that the payment provider was asked to end. */
const endedPlans: Array<string> = []

/** Gives the person a subscription that goes on. */
const subscribe = Effect.fnUntraced(function* (userId: string, id: string) {
  const store = yield* PaymentEventStore
  const event = { id: `evt_${id}`, kind: "subscription", createdAt: 0, customerId: undefined, payload: "{}" }
  yield* store.receive({ event, references: [], claimed: userId, bought: {}, again: false })
  const absent = { latest: undefined, checkout: undefined, paid: undefined, endedAt: undefined }
  yield* store.conclude({
    ...{ event, userId, outcome: { state: "applied", note: "" }, links: [], waitsFor: [] },
    ...{ followed: undefined, invoiceReports: undefined, bought: undefined },
    subscription: { id, startedAt: 0, seen: [], earlier: [], changes: [], ...absent }
  })
})

/** The tables of which some row says `text` anywhere. */
const tablesNaming = (text: string) =>
  Effect.gen(function* () {
    const { schema } = yield* Database
    const { asOwner } = yield* DatabaseOwner
    return yield* asOwner(({ query }) =>
      Effect.gen(function* () {
        const tables = yield* query<{ name: string }>(
          "SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r'",
          [schema]
        )
        const found: Array<string> = []
        for (const { name } of tables) {
          const rows = yield* query(`SELECT FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, [text])
          if (rows.length > 0) found.push(name)
        }
        return found
      })
    )
  })

const closed = Effect.fnUntraced(function* (userId: string) {
  const ledger = yield* testedLedger
  yield* ledger.open({ userId, tier: "free", allowance: 100 })
  yield* ledger.run(closeAccount({ userId, key: "closed:1", lowest: "free" }))
})

const versionOf = (userId: string) =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const text = `SELECT version FROM ${schema}.credit_accounts WHERE user_id = $1`
    return (yield* statement<{ version: number }>(text, [userId]))[0]?.version ?? 0
  })

const erasing = (run: Run<Parts>) => {
  it("no row of any table names an erased person", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const hook = { id: "hook:onLowBalance", types: ["balance.low"] } as const
        yield* (yield* Outbox).subscribe({ destinations: [hook], lowBelow: { free: 1000 } })
        yield* closed(userId)
        const before = (yield* tablesNaming(userId)).map((name) => name.split(".")[1])
        expect(before).toEqual(
          expect.arrayContaining(["credit_accounts", "credit_transactions", "event_deliveries", "low_balances"])
        )
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
        expect(yield* tablesNaming(userId)).toEqual([])
      })
    ))

  it("an account whose rows contradict each other is not erased, so that the change stays to be seen", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* closed(userId)
        const { schema } = yield* Database
        const { asOwner } = yield* DatabaseOwner
        const change = (text: string) => asOwner(({ script }) => script(text))
        yield* change(
          `ALTER TABLE ${schema}.credit_transactions DISABLE TRIGGER USER;` +
            `UPDATE ${schema}.credit_transactions SET created_at = created_at - interval '1 day' WHERE user_id = '${userId}' AND number = 1;` +
            `ALTER TABLE ${schema}.credit_transactions ENABLE TRIGGER USER`
        )
        const erase = PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
        expect(yield* Effect.flip(erase)).toMatchObject({ _tag: "StorageFailed", retryable: false })
        expect((yield* tablesNaming(userId)).length).toBeGreaterThan(2)
      })
    ))

  it("a purchase that was changed by hand is not erased either, which leaves the account open and the plan running", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const ledger = yield* testedLedger
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        const payment = { charge: "ch_1", paid: 500 }
        yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50, payment })
        const plan = `sub_${userId}`
        yield* subscribe(userId, plan)
        const { schema } = yield* Database
        const { asOwner } = yield* DatabaseOwner
        yield* asOwner(({ query }) =>
          query(`UPDATE ${schema}.credit_purchases SET paid = 5 WHERE user_id = $1`, [userId])
        )
        const erased = UserService.use((users) => users.erase(userId))
        expect(yield* Effect.flip(erased)).toMatchObject({ _tag: "StorageFailed" })
        const account = yield* CreditRecords.use((port) => port.account(userId))
        expect(account).toMatchObject({ allowance: 100, topup: 50, renewedBy: "schedule" })
        expect(endedPlans).not.toContain(plan)
      })
    ))

  it("what a process remembers of an erased account is not written to a new one of the same name", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const port = yield* testedLedger
        const ledger = port
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        const before = yield* versionOf(userId)
        yield* UserService.use((users) => users.erase(userId))
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        expect(yield* versionOf(userId)).toBeGreaterThan(before)
      })
    ))

  it("outside an erasure, rows of the ledger never change their owner", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* closed(userId)
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
        const other = newUserId()
        yield* closed(other)
        const { schema } = yield* Database
        const { asOwner } = yield* DatabaseOwner
        const failed = yield* Effect.flip(
          asOwner(({ query }) =>
            query(`UPDATE ${schema}.credit_transactions SET user_id = 'somebody' WHERE user_id = $1`, [other])
          )
        )
        expect(failed).toMatchObject({ sqlState: "23001" })
      })
    ))
}

for (const { name, layer } of databases) {
  const stores = Layer.provideMerge(storesLayer(), builtOnce(layer))
  personalDataContract(name, stores)
  userExportContract(name, stores)
  const users = UserService.layer.pipe(
    Layer.provide([AccessList.layer, SecurityEvents.layer]),
    Layer.provide([
      paymentProviderLayer({ ...noPayments, endSubscription: (id) => Effect.sync(() => void endedPlans.push(id)) }),
      Layer.succeed(Catalog, defaultCatalog),
      Layer.provide(CrmRelease.layer, noCrmLayer)
    ])
  )
  suiteOn(`erasing a person on ${name}`, Layer.provideMerge(users, stores), erasing)
}
