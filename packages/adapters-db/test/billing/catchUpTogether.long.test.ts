import { CreditRecords, CreditUpkeep, PaymentEventStore, type ReceivedPaymentEvent } from "@parley/core/adapter"
import type { HandledEvent } from "@parley/core"
import { PaymentInbox } from "@parley/core/effect"
import { billingUnderTest, BillingWorld, STORY_START } from "@parley/core/testing"
import { type Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer)
const PEOPLE = 150

/** People who subscribe, buy, and get a part of that back: all of it happened while no server was there. */
const missedBy = (round: string) =>
  Array.from({ length: PEOPLE }, (_, index) => {
    const name = `${round}-${index}`
    const world = new BillingWorld(name, STORY_START)
    world.act({ _tag: "subscribe", price: "price_pro" }, 60_000)
    world.act({ _tag: "buy", payment: "now" }, 60_000)
    world.act({ _tag: "refund", nth: 0, part: 990 / 2 }, 60_000)
    return { userId: `user-${name}`, events: world.events }
  })

describe.runIf(hasPostgres)("catching up in several processes", () => {
  const scope = Scope.makeUnsafe()
  let listed: ReadonlyArray<ReceivedPaymentEvent> = []
  const open = (url: string) =>
    Layer.build(
      Layer.fresh(
        billingUnderTest(stores.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 8 }))), () => listed)
      )
    )
  type Process = Effect.Success<ReturnType<typeof open>>
  let processes: ReadonlyArray<Process> = []
  beforeAll(async () => {
    const opened = Effect.flatMap(migratedPostgres, (url) => Effect.all([open(url), open(url)]))
    processes = await Effect.runPromise(Scope.provide(opened, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const on = <A, E, R>(process: Process | undefined, work: Effect.Effect<A, E, R>) =>
    Effect.provideContext(work, process as Context.Context<R>)
  const catchUp = (onEvent?: (event: HandledEvent) => Effect.Effect<void>) =>
    PaymentInbox.use((inbox) => inbox.catchUp({ since: 0, dryRun: false, ...(onEvent && { onEvent }) }))

  /** The accounts are as if every event had come once, and the ledger follows from its rows. */
  const expectAll = async (people: ReturnType<typeof missedBy>) => {
    const [first] = processes
    for (const { userId } of people) {
      const account = await Effect.runPromise(
        on(
          first,
          CreditRecords.use((ledger) => ledger.account(userId))
        )
      )
      expect(account).toMatchObject({ tier: "pro", allowance: 1_000, topup: 350, debt: 0 })
    }
    const { differences } = await Effect.runPromise(
      on(
        first,
        CreditUpkeep.use((ledger) => ledger.verify({ limit: 10_000, after: undefined }))
      )
    )
    expect(differences).toEqual([])
  }

  it("at once shares the work, and each event has one effect", async () => {
    const people = missedBy("shared")
    listed = people.flatMap(({ events }) => events)
    const orders: ReadonlyArray<Array<string>> = [[], []]
    const reports = await Effect.runPromise(
      Effect.all(
        processes.map((process, place) =>
          on(
            process,
            catchUp(({ id }) => Effect.sync(() => void orders[place]?.push(id)))
          )
        ),
        { concurrency: "unbounded" }
      )
    )
    // Each begins with other people: work that one has done is found done by the other.
    const [first = [], second = []] = orders.map((ids) => ids.slice(0, PEOPLE / 3))
    expect(first.filter((id) => second.includes(id)).length).toBeLessThan(PEOPLE / 4)
    await expectAll(people)
    for (const { failed, states } of reports) expect([failed, states.refused, states.unreadable]).toEqual([0, 0, 0])
    expect(await Effect.runPromise(on(processes[0], catchUp()))).toMatchObject({ listed: listed.length, missing: 0 })
  })

  it("is completed by the other where one is stopped amid its work", async () => {
    const people = missedBy("stopped")
    listed = people.flatMap(({ events }) => events)
    let done = 0
    const stopped = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        on(
          processes[0],
          catchUp(() => (++done < listed.length / 3 ? Effect.void : Effect.interrupt))
        )
      )
      const other = yield* on(processes[1], catchUp())
      yield* Fiber.await(fiber)
      return other
    })
    expect(await Effect.runPromise(stopped)).toMatchObject({ failed: 0 })
    await expectAll(people)
    const found = await Effect.runPromise(
      on(
        processes[1],
        PaymentEventStore.use((store) => store.find(listed.map(({ id }) => id)))
      )
    )
    expect(new Set(found.map(({ state }) => state))).toEqual(new Set(["applied"]))
    expect(found).toHaveLength(listed.length)
  })
})
