import { AccessList } from "@parley/core/effect"
import { CreditUpkeep, PaymentEventStore, type ReceivedPaymentEvent } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { Catalog, CrmRelease, SecurityEvents, UserService, noCrmLayer } from "@parley/core/effect"
import {
  type BillingAct,
  billingUnderTest,
  BillingWorld,
  deliver,
  neutralProviderLayer,
  STORY_START,
  worldCatalog
} from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const BUYS: BillingAct = { _tag: "buy", payment: "now" }
const SUBSCRIBES: BillingAct = { _tag: "subscribe", price: "price_business" }
const TAKES_BACK: ReadonlyArray<BillingAct> = [
  { _tag: "refund", nth: 0, part: 300 },
  { _tag: "dispute", nth: 0, isWon: true }
]

const serverOn = (url: string) => {
  const stores = storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 24 })))
  const users = UserService.layer.pipe(
    Layer.provide([AccessList.layer, SecurityEvents.layer]),
    Layer.provide([
      neutralProviderLayer(),
      CrmRelease.layer.pipe(Layer.provide(noCrmLayer)),
      Layer.succeed(Catalog, worldCatalog)
    ])
  )
  return Layer.build(Layer.fresh(Layer.merge(billingUnderTest(stores), users).pipe(Layer.provideMerge(stores))))
}
type Server = Effect.Success<ReturnType<typeof serverOn>>

/** A person with an account, and events of theirs that have not come. */
interface Buyer {
  readonly userId: string
  readonly events: ReadonlyArray<ReceivedPaymentEvent>
}

describe.runIf(hasPostgres)("a payment event that arrives while its person is erased", () => {
  const scope = Scope.makeUnsafe()
  let server: Server
  let direct: pg.Pool
  const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.runPromise(Effect.provideContext(work, server as Context.Context<R>))

  beforeAll(async () => {
    const open = Effect.gen(function* () {
      const url = yield* migratedPostgres
      server = yield* serverOn(url)
      direct = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 4 })),
        (pool) => Effect.promise(() => pool.end())
      )
    })
    await Effect.runPromise(Scope.provide(open, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** Applies one purchase of a person, so that they are known, and returns the events of `acts`. */
  const buyer = (acts: ReadonlyArray<BillingAct>, isKnown = true) =>
    run(
      Effect.gen(function* () {
        const name = crypto.randomUUID()
        const userId = `user-${name}`
        const world = new BillingWorld(name, STORY_START)
        if (isKnown) world.act(BUYS, 60_000)
        const before = world.events.length
        for (const act of acts) world.act(act, 60_000)
        yield* Effect.flatMap(testedLedger, (credits) => credits.open({ userId, tier: "free", allowance: 100 }))
        for (const event of world.events.slice(0, before)) yield* deliver(event)
        const events = world.events.slice(before)
        // An event that nothing depends on still contains the customer.
        const told = {
          ...events[0],
          id: `evt_other_${name}`,
          kind: "customer.updated",
          event: { _tag: "Other" } as const
        }
        const other = { ...told, payload: JSON.stringify({ ...told, about: userId }) } as ReceivedPaymentEvent
        return { userId, events: isKnown ? [other, ...events] : events } satisfies Buyer
      })
    )

  const erase = (userId: string) => run(Effect.exit(UserService.use((users) => users.erase(userId))))
  const deliverAll = (events: ReadonlyArray<ReceivedPaymentEvent>) =>
    Promise.all(events.map((event) => run(Effect.exit(deliver(event)))))

  /** The number of rows of each table that contain a person's id, in any text. */
  const rowsNaming = async (userId: string) => {
    const { rows: tables } = await direct.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'parley'::regnamespace AND relkind = 'r' ORDER BY 1`
    )
    const found: Record<string, number> = {}
    for (const { name } of tables) {
      const { rows } = await direct.query<{ count: string }>(
        `SELECT count(*) FROM parley.${name} t WHERE position($1 IN t::text) > 0`,
        [userId]
      )
      if (Number(rows[0]?.count) > 0) found[name] = Number(rows[0]?.count)
    }
    return found
  }

  const waiting = async (count: number) => {
    for (;;) {
      const { rows } = await direct.query<{ count: string }>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      )
      if (Number(rows[0]?.count) >= count) return
    }
  }

  /** Begins works one after another, each once the ones before wait for a row that is locked; then lets them go on. */
  const behindLock = async (table: string, userId: string, works: ReadonlyArray<() => Promise<unknown>>) => {
    const client = await direct.connect()
    await client.query("BEGIN")
    await client.query(`SELECT FROM parley.${table} WHERE user_id = $1 FOR UPDATE`, [userId])
    const running: Array<Promise<unknown>> = []
    for (const work of works) {
      running.push(work())
      await waiting(running.length)
    }
    await client.query("COMMIT")
    client.release()
    return Promise.all(running)
  }

  it("and waits for the row that the erasure removes, brings nothing of the person back", async () => {
    const { events, userId } = await buyer([BUYS])
    const [erased] = (await behindLock("billing_accounts", userId, [
      () => erase(userId),
      () => deliverAll(events)
    ])) as [Exit.Exit<unknown, unknown>]
    expect(Exit.isSuccess(erased)).toBe(true)
    expect(await rowsNaming(userId)).toEqual({})
  })

  it("and has its person locked before the erasure, is applied and then erased with all else", async () => {
    const { events, userId } = await buyer([BUYS])
    const [, erased] = (await behindLock("billing_accounts", userId, [
      () => deliverAll(events),
      () => erase(userId)
    ])) as [unknown, Exit.Exit<unknown, unknown>]
    expect(Exit.isSuccess(erased)).toBe(true)
    expect(await rowsNaming(userId)).toEqual({})
  })

  it("creates no erased person again in a free race of 16 people, with and without earlier payments", async () => {
    const people = await Promise.all(
      Array.from({ length: 16 }, (_, index) => buyer([SUBSCRIBES, BUYS, ...TAKES_BACK], index % 2 === 0))
    )
    const outcomes = await Promise.all(
      people.map(async ({ events, userId }, index) => {
        const late = deliverAll(events)
        if (index % 4 > 1) await Promise.race([late, direct.query("SELECT pg_sleep($1)", [index / 1_000])])
        const erased = await erase(userId)
        return { erased, late: await late }
      })
    )
    expect(outcomes.map(({ erased }) => erased).filter(Exit.isFailure)).toEqual([])
    expect(outcomes.flatMap(({ late }) => late).filter(Exit.isFailure)).toEqual([])
    // Nothing that was paid is lost: it was given before the erasure, or is to be refunded.
    const isPaid = ({ event }: ReceivedPaymentEvent) =>
      event._tag === "InvoicePaid" || (event._tag === "Checkout" && event.session.mode === "one-time")
    const ids = people.flatMap(({ events }) => events.filter(isPaid)).map(({ id }) => id)
    const found = await run(PaymentEventStore.use((store) => store.find(ids)))
    expect(found).toHaveLength(2 * people.length)
    expect(found.filter(({ state }) => state !== "applied" && state !== "owed")).toEqual([])
    const left = await Promise.all(people.map(({ userId }) => rowsNaming(userId)))
    expect(left.filter((found) => Object.keys(found).length > 0)).toEqual([])
    const { differences } = await run(CreditUpkeep.use((ledger) => ledger.verify({ limit: 1_000, after: undefined })))
    expect(differences).toEqual([])
  })

  it("waits, with the erasure, for a payment that has locked the account for longer than the ledger waits", async () => {
    const { events, userId } = await buyer([SUBSCRIBES], true)
    await deliverAll(events)
    const locked = direct.query(`BEGIN; SELECT FROM parley.credit_accounts WHERE user_id = '${userId}' FOR UPDATE;
      SELECT pg_sleep(7); COMMIT`)
    const erased = await erase(userId)
    await locked
    expect(Exit.isSuccess(erased)).toBe(true)
    expect(await rowsNaming(userId)).toEqual({})
  })

  it("and names the person itself, by nothing that is linked, finds them erased afterwards too", async () => {
    const { events, userId } = await buyer([SUBSCRIBES], false)
    await erase(userId)
    const outcomes = await run(Effect.all(events.map(deliver)))
    expect(new Set(outcomes.map(({ note }) => note.includes("erased")))).toEqual(new Set([true]))
    expect(await rowsNaming(userId)).toEqual({})
  })
})
