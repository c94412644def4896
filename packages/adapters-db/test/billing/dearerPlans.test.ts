import { type ReceivedPaymentEvent } from "@parley/core/adapter"
import { CreditRecords, CreditUpkeep } from "@parley/core/adapter"
import { type BillingAct, billingUnderTest, BillingWorld, deliver, STORY_START } from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const PEOPLE = 8
const COPIES = 3
const SUBSCRIBES: BillingAct = { _tag: "subscribe", price: "price_pro" }
const SWITCHES: BillingAct = { _tag: "change", nth: 0, price: "price_business" }

const processOn = (url: string) =>
  Layer.build(
    Layer.fresh(billingUnderTest(storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 8 })))))
  )
type Process = Effect.Success<ReturnType<typeof processOn>>

describe.runIf(hasPostgres)("a dearer plan whose reports come in copies at once, on two processes", () => {
  const scope = Scope.makeUnsafe()
  let processes: readonly [Process, Process]
  beforeAll(async () => {
    const open = Effect.flatMap(migratedPostgres, (url) => Effect.all([processOn(url), processOn(url)]))
    processes = await Effect.runPromise(Scope.provide(open, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const on = <A, E, R>(process: Process, work: Effect.Effect<A, E, R>) =>
    Effect.runPromise(Effect.provideContext(work, process as Context.Context<R>))
  const deliverAll = (events: ReadonlyArray<ReceivedPaymentEvent>) =>
    Promise.all(events.map((event, place) => on(processes[place % 2 === 0 ? 0 : 1], deliver(event))))

  /** The accounts of people after acts; all events of the acts after the first come at once. */
  const accountsAfter = (acts: readonly [BillingAct, ...ReadonlyArray<BillingAct>]) =>
    Promise.all(
      Array.from({ length: PEOPLE }, async () => {
        const name = crypto.randomUUID()
        const world = new BillingWorld(name, STORY_START)
        const [first, ...others] = acts
        world.act(first, 60_000)
        await deliverAll(world.events)
        const begun = world.events.length
        for (const act of others) world.act(act, 86_400_000)
        const late = world.events.slice(begun)
        await deliverAll(Array.from({ length: COPIES }, () => late).flat())
        const { allowance, tier, topup } = await on(
          processes[0],
          CreditRecords.use((ledger) => ledger.account(`user-${name}`))
        )
        return `${tier} ${allowance + topup}`
      })
    )

  it("is given once with the invoice of the change, and never by a status, also within a trial", async () => {
    const paid = await accountsAfter([SUBSCRIBES, SWITCHES])
    expect(new Set(paid)).toEqual(new Set(["business 5000"]))
    const unpaid = await accountsAfter([SUBSCRIBES, { ...SWITCHES, payment: "never" }])
    expect(new Set(unpaid)).toEqual(new Set(["pro 1000"]))
    const tried = await accountsAfter([{ ...SUBSCRIBES, trialDays: 14 }, SWITCHES])
    expect(new Set(tried)).toEqual(new Set(["pro 1000"]))
    const { differences } = await on(
      processes[0],
      CreditUpkeep.use((ledger) => ledger.verify({ limit: 500, after: undefined }))
    )
    expect(differences).toEqual([])
  })
})
