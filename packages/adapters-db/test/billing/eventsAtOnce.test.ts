import { BillingStore, type KeptEvent, type StorageFailed, UnitOfWork, PaymentEventStore } from "@parley/core/adapter"
import { Deferred, Effect, Fiber, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const eventOf = (id: string): KeptEvent => ({
  id,
  kind: "invoice.paid",
  createdAt: Date.UTC(2027, 0, 31),
  customerId: "cus_1",
  payload: "{}"
})

const nothingFollows = {
  invoiceReports: undefined,
  subscription: undefined,
  followed: undefined,
  bought: undefined,
  links: [],
  waitsFor: []
}

const receive = (id: string, claimed?: string) =>
  PaymentEventStore.use((store) =>
    store.receive({
      event: eventOf(id),
      references: ["customer:cus_1"],
      claimed,
      bought: {},
      again: false
    })
  )

/** Until another session of the database waits for a lock, or the fiber is done. */
const blockedOrDone = Effect.fnUntraced(function* (url: string, fiber: Fiber.Fiber<unknown, unknown>) {
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const direct = new pg.Client({ connectionString: url })
      await direct.connect()
      return direct
    }),
    (direct) => Effect.promise(() => direct.end())
  )
  while (fiber.pollUnsafe() === undefined) {
    const { rowCount } = yield* Effect.promise(() =>
      client.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    )
    if (rowCount !== 0) return
  }
})

/** Runs two units of work on a database of their own, the second of which begins while the first is not committed; `before` is. */
const besides = <A, B>(
  first: Effect.Effect<A, StorageFailed, BillingStore | PaymentEventStore>,
  second: Effect.Effect<B, StorageFailed, BillingStore | PaymentEventStore>,
  before: Effect.Effect<unknown, StorageFailed, BillingStore | PaymentEventStore> = Effect.void
) =>
  Effect.gen(function* () {
    const url = yield* migratedPostgres
    const database = PgDatabaseLayer({ url })
    const direct = new URL(process.env["TEST_DATABASE_URL"] ?? "")
    direct.pathname = new URL(url).pathname
    const unit = <C>(work: Effect.Effect<C, StorageFailed, BillingStore | PaymentEventStore>) =>
      UnitOfWork.use((units) => units.run("cus_1", work))
    return yield* Effect.gen(function* () {
      yield* before
      const done = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const whole = first.pipe(
        Effect.tap(() => Deferred.succeed(done, undefined)),
        Effect.tap(() => Deferred.await(mayCommit))
      )
      const firstUnit = yield* Effect.forkChild(unit(whole))
      yield* Deferred.await(done)
      const secondUnit = yield* Effect.forkChild(unit(second))
      yield* blockedOrDone(direct.href, secondUnit)
      yield* Deferred.succeed(mayCommit, undefined)
      return [yield* Fiber.join(firstUnit), yield* Fiber.join(secondUnit)] as const
    }).pipe(Effect.provide(Layer.mergeAll(PgBillingStoreLayer, PgUnitOfWorkLayer).pipe(Layer.provide(database))))
  }).pipe(Effect.scoped, Effect.runPromise)

describe.skipIf(!hasPostgres)("events that come at once", () => {
  it("belong to the person to whom their customer is linked meanwhile, even if another event waited for it before", async () => {
    const link = BillingStore.use((store) => store.link({ userId: "user-1", customerId: "cus_1", replaces: undefined }))
    const [received, { waiting }] = await besides(receive("evt_second"), link, receive("evt_first"))
    expect(received).toEqual({ _tag: "Unmatched" })
    expect(waiting.map(({ id }) => id)).toEqual(["evt_first", "evt_second"])
  })

  it("are one where they are copies: the second waits for the first one's unit of work, and finds it known", async () => {
    const outcome = { state: "ignored", note: "nothing was bought" } as const
    const whole = PaymentEventStore.use((store) =>
      Effect.andThen(
        receive("evt_1", "user-1"),
        store.conclude({ ...nothingFollows, event: eventOf("evt_1"), userId: "user-1", outcome })
      )
    )
    const [, found] = await besides(whole, receive("evt_1", "user-1"))
    expect(found).toEqual({ _tag: "Known", outcome })
  })

  it("are concluded once, even if no lock holds back the second conclusion", async () => {
    const conclude = (note: string) =>
      PaymentEventStore.use((store) =>
        store.conclude({
          ...nothingFollows,
          event: eventOf("evt_twice"),
          userId: "user-1",
          outcome: { state: "applied", note }
        })
      )
    await expect(besides(conclude("first"), conclude("second"), receive("evt_twice", "user-1"))).rejects.toMatchObject({
      _tag: "StorageFailed",
      retryable: true
    })
  })
})
