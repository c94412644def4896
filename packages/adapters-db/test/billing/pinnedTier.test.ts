import { type ReceivedPaymentEvent } from "@parley/core/adapter"
import { CreditRecords, CreditUpkeep } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { OperatorTiers } from "@parley/core/effect"
import { type BillingAct, billingUnderTest, BillingWorld, deliver, STORY_START } from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const ROUNDS = 20
const ACTS: ReadonlyArray<BillingAct> = [
  { _tag: "subscribe", price: "price_pro" },
  { _tag: "change", nth: 0, price: "price_business" },
  { _tag: "renew", nth: 0, isPaid: true },
  { _tag: "cancel", nth: 0 }
]

const processOn = (url: string) => {
  const stores = storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 8 })))
  return Layer.build(
    Layer.fresh(OperatorTiers.layer.pipe(Layer.provideMerge(billingUnderTest(stores)), Layer.provideMerge(stores)))
  )
}
type Process = Effect.Success<ReturnType<typeof processOn>>

describe.runIf(hasPostgres)("a tier that is pinned while payment events arrive", () => {
  const scope = Scope.makeUnsafe()
  let server: Process
  let command: Process
  const runOn =
    (process: () => Process) =>
    <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.runPromise(Effect.provideContext(work, process() as Context.Context<R>))
  const onServer = runOn(() => server)
  const onCommand = runOn(() => command)

  beforeAll(async () => {
    const open = Effect.gen(function* () {
      const url = yield* migratedPostgres
      server = yield* processOn(url)
      command = yield* processOn(url)
    })
    await Effect.runPromise(Scope.provide(open, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const accountOf = (userId: string) => onServer(CreditRecords.use((ledger) => ledger.account(userId)))
  const deliverAll = (events: ReadonlyArray<ReceivedPaymentEvent>) =>
    Promise.all(events.map((event) => onServer(deliver(event))))

  /** A person with an account, and the events of acts that have not come. */
  const payer = async () => {
    const name = crypto.randomUUID()
    const userId = `user-${name}`
    const world = new BillingWorld(name, STORY_START)
    for (const act of ACTS) world.act(act, 60_000)
    await onServer(Effect.flatMap(testedLedger, (credits) => credits.open({ userId, tier: "free", allowance: 100 })))
    return { userId, events: world.events }
  }

  it("is the operator's in the end, whichever of them came first, and what is paid for once it is unpinned", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const people = await Promise.all([payer(), payer(), payer()])
      await Promise.all(
        people.map(async ({ events, userId }) => {
          const half = Math.floor((events.length * round) / ROUNDS)
          await deliverAll(events.slice(0, half))
          const pinning = onCommand(
            OperatorTiers.use((tiers) => tiers.set({ userId, tier: "business", pin: true, period: "new" }))
          )
          await Promise.all([pinning, deliverAll(events.slice(half))])
          expect(await accountOf(userId)).toMatchObject({ tier: "business", allowance: 5_000, renewedBy: "schedule" })
          const unpinning = onCommand(OperatorTiers.use((tiers) => tiers.unpin(userId)))
          await Promise.all([unpinning, deliverAll(events)])
          expect(await accountOf(userId)).toMatchObject({ tier: "free", allowance: 100, debt: 0 })
        })
      )
    }
    const { differences } = await onServer(
      CreditUpkeep.use((ledger) => ledger.verify({ limit: 500, after: undefined }))
    )
    expect(differences).toEqual([])
  })
})
