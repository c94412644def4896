import { PaymentInbox, tierOf } from "@parley/core/effect"
import { testedLedger } from "@parley/core/testing"
import {
  type BillingAct,
  billingUnderTest,
  BillingWorld,
  deliver,
  STORY_START,
  worldCatalog
} from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Result, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import { type Fault, FAULTS, FaultyWire } from "../faults/FaultyWire.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer)

/** The inbox of one server process. */
const processOn = (url: string) => {
  const database = PgDatabaseLayer({ url, maxConnections: 8 })
  const layer = Layer.fresh(Layer.merge(billingUnderTest(stores.pipe(Layer.provide(database))), database))
  return Layer.build(layer)
}

type Process = Effect.Success<ReturnType<typeof processOn>>

const HOUR = 3_600_000

/** A person who subscribes and buys. */
const BEGINNING: ReadonlyArray<BillingAct> = [
  { _tag: "subscribe", price: "price_pro" },
  { _tag: "buy", payment: "now" }
]

/** Something of every kind that a provider reports. */
const EVERYTHING: ReadonlyArray<BillingAct> = [
  ...BEGINNING,
  { _tag: "refund", nth: 0, part: 300 },
  { _tag: "dispute", nth: 0, isWon: true },
  { _tag: "change", nth: 0, price: "price_business" },
  { _tag: "renew", nth: 0, isPaid: true },
  { _tag: "cancel", nth: 0 },
  { _tag: "subscribe", price: "price_business" }
]

/** The acts of a person, and their events. */
const story = (acts = BEGINNING) => {
  const name = crypto.randomUUID()
  const world = new BillingWorld(name, STORY_START)
  for (const act of acts) world.act(act, HOUR)
  return { userId: `user-${name}`, events: world.events, world }
}

/** Delivers as the provider does: again for as long as what fails it passes, as a lock does that others hold for too long. */
const deliverPatiently = (event: Parameters<typeof deliver>[0]) =>
  Effect.retry(deliver(event), { while: (error) => "retryable" in error && error.retryable === true, times: 100 })

/**
 * The work of several servers on the same events at once, and of one whose requests fail; `all`: in every way, and in
 * three times as many rounds.
 */
export const inboxFaults = (all: boolean): void =>
  void describe.runIf(hasPostgres)("the inbox of several servers on one database", () => {
    const scope = Scope.makeUnsafe()
    let wire: FaultyWire
    let processes: ReadonlyArray<Process>
    let tried: Process
    const run = <A, E, R>(on: Process, work: Effect.Effect<A, E, R>) =>
      Effect.runPromise(Effect.provideContext(work, on as Context.Context<R>))

    beforeAll(async () => {
      const open = Effect.gen(function* () {
        const url = yield* migratedPostgres
        wire = yield* Effect.acquireRelease(
          Effect.promise(() => FaultyWire.open(url)),
          (opened) => Effect.promise(() => opened[Symbol.asyncDispose]())
        )
        processes = yield* Effect.all([processOn(url), processOn(url), processOn(url), processOn(url)])
        tried = yield* processOn(wire.through(url))
      })
      await Effect.runPromise(Scope.provide(open, scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    /** Everything that is stored of a person: how many rows of each kind, and the balance. */
    const storedOf = (userId: string) =>
      run(
        processes[0] as Process,
        Effect.gen(function* () {
          const { schema, statement } = yield* Database
          const ledger = yield* testedLedger
          const { allowance, debt, tier, topup } = yield* ledger.account(userId)
          const { total } = yield* ledger.history({ userId, limit: 1, offset: 0, type: undefined })
          const { differences } = yield* ledger.verify({ limit: 1, after: undefined, userId })
          const [counts] = yield* statement<{
            events: number
            subscriptions: number
            purchases: number
            waits: number
          }>(
            `SELECT (SELECT count(*) FROM ${schema}.payment_events WHERE owner = $1 AND state IN ('applied', 'ignored')) AS events,
             (SELECT count(*) FROM ${schema}.billing_subscriptions WHERE user_id = $1) AS subscriptions,
             (SELECT count(*) FROM ${schema}.billing_purchases WHERE user_id = $1) AS purchases,
             (SELECT count(*) FROM ${schema}.payment_waits) AS waits`,
            [userId]
          )
          return { allowance, debt, tier, topup, total, differences, ...counts }
        })
      )

    const whole = {
      allowance: tierOf(worldCatalog, "pro").monthlyCredits,
      topup: 700,
      debt: 0,
      tier: "pro",
      differences: [],
      subscriptions: 1,
      purchases: 1,
      waits: 0
    }

    it("20 copies of each event at once on four servers have one effect", async () => {
      const totals = new Set<number>()
      for (let round = 0; round < (all ? 3 : 1); round++) {
        const { events, userId } = story()
        for (const event of events) {
          const copies = Array.from({ length: 20 }, (_, copy) =>
            run(processes[copy % 4] as Process, deliverPatiently(event))
          )
          const answers = await Promise.all(copies)
          expect(new Set(answers.map(({ state }) => state))).toEqual(new Set(["applied"]))
        }
        const { total, ...stored } = await storedOf(userId)
        expect(stored).toEqual({ ...whole, events: events.length })
        totals.add(total)
      }
      expect(totals.size).toBe(1)
    })

    it("all events of a person at once, in five copies each, end as one after another", async () => {
      for (let round = 0; round < (all ? 6 : 2); round++) {
        const { events, userId } = story()
        const copies = events.flatMap((event) => Array.from({ length: 5 }, () => event))
        await Promise.all(
          copies.map((event, copy) => run(processes[(copy * 3) % 4] as Process, deliverPatiently(event)))
        )
        const { total: _total, ...stored } = await storedOf(userId)
        expect(stored).toEqual({ ...whole, events: events.length })
      }
    })

    it("an event that waits is never missed by the one that links it", async () => {
      for (let round = 0; round < (all ? 10 : 4); round++) {
        const name = crypto.randomUUID()
        const world = new BillingWorld(name, STORY_START)
        world.act({ _tag: "buy", payment: "now" }, 60_000)
        world.act({ _tag: "dispute", nth: 0, isWon: false }, 60_000)
        await Promise.all(
          world.events.map((event, index) => run(processes[(index + round) % 4] as Process, deliverPatiently(event)))
        )
        expect(await storedOf(`user-${name}`)).toMatchObject({ topup: 0, debt: 0, events: 2, waits: 0 })
      }
    })

    it("an event that comes while its person is just being linked waits for that, and is applied", async () => {
      const name = crypto.randomUUID()
      const world = new BillingWorld(name, STORY_START)
      world.act({ _tag: "buy", payment: "now" }, 60_000)
      world.act({ _tag: "dispute", nth: 0, isWon: false }, 60_000)
      const [bought, dispute] = world.events
      if (bought === undefined || dispute === undefined) return expect.unreachable("There are two events.")
      const other = processes[0] as Process
      const isBlocked = Effect.gen(function* () {
        const { statement } = yield* Database
        const rows = yield* statement(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%receive_payment%' AND datname = current_database()"
        )
        return rows.length > 0
      })
      let disputed: Promise<unknown> | undefined
      // The purchase has looked for what waits for it, and is not committed yet.
      wire.start(new Map(), async (text) => {
        if (text !== "COMMIT" || disputed !== undefined) return
        let isDone = false
        disputed = run(other, deliverPatiently(dispute)).finally(() => (isDone = true))
        while (!isDone && !(await run(processes[1] as Process, isBlocked)));
      })
      await run(tried, deliverPatiently(bought))
      await disputed
      wire.start()
      expect(await storedOf(`user-${name}`)).toMatchObject({ topup: 0, debt: 0, events: 2, waits: 0 })
    })

    /** Delivers as the provider does: again, until it is taken. */
    const insist = async (event: Parameters<typeof deliver>[0]) => {
      for (let attempt = 0; attempt < 6; attempt++) {
        const taken = await run(tried, Effect.result(deliver(event)))
        if (Result.isSuccess(taken)) return attempt
      }
      throw new Error("It was never taken.")
    }

    it(
      "every request refused, cut off or late, COMMIT too: the provider's retry completes it, once",
      { timeout: 1_800_000 },
      async () => {
        const acts = all ? EVERYTHING : BEGINNING
        const counted = story(acts)
        const lengths: Array<number> = []
        for (const event of counted.events) {
          wire.start()
          await run(tried, deliver(event))
          await wire.settled()
          // For the way that is taken alone, or the one in company, whose single statement commits by itself.
          expect(wire.requests.some((text) => text === "COMMIT" || text.includes("apply_payments"))).toBe(true)
          lengths.push(wire.requests.length)
        }
        const { total: _counted, ...expected } = await storedOf(counted.userId)
        const { allowance, tier, topup } = counted.world.expected(STORY_START, counted.world.now)
        expect(expected).toMatchObject({
          allowance,
          tier,
          topup,
          events: counted.events.length,
          differences: [],
          waits: 0
        })
        let at = 0
        for (const [place, length] of lengths.entries()) {
          for (let request = 0; request < length; request++) {
            const faults = all ? FAULTS : FAULTS.filter((_, fault) => fault === at % FAULTS.length)
            for (const fault of faults) {
              const { events, userId } = story(acts)
              for (const [index, event] of events.entries()) {
                wire.start(index === place ? new Map<number, Fault>([[request, fault]]) : new Map())
                await insist(event)
                await wire.settled()
              }
              const { total: _total, ...stored } = await storedOf(userId)
              expect(stored, `${fault}: request ${request} of event ${place}`).toEqual(expected)
            }
            at += 1
          }
        }
      }
    )

    it("asks for nothing that it need not: an event known before takes one statement", async () => {
      const { events } = story()
      const [event] = events
      if (event === undefined) return expect.unreachable("There is an event.")
      await run(tried, deliver(event))
      wire.start()
      await run(
        tried,
        PaymentInbox.use((inbox) => inbox.accept(event))
      )
      await wire.settled()
      expect(
        wire.requests.filter((text) => /read_payments|apply_payments|receive_payment|conclude|write_credits/.test(text))
      ).toHaveLength(1)
    })
  })
