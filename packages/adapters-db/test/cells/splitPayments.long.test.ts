/** Payments of people whose cell is split. */
import { BillingUpkeep, closeAccount, CreditLedger, CreditUpkeep, PersonalData } from "@parley/core/adapter"
import { PaymentInbox } from "@parley/core/effect"
import { billingUnderTest, BillingWorld, deliver, STORY_START, testedLedger } from "@parley/core/testing"
import { type Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import type { Stores } from "./movingOwners.ts"
import { ordersOf, PURCHASE } from "./paymentCells.ts"
import { isUpper, type SplitWorld } from "./splitWorld.ts"

/** A person who goes along, or stays, with the events of a purchase. */
const storyOf = (upper: boolean) => {
  let name = crypto.randomUUID()
  while (isUpper(`user-${name}`) !== upper) name = crypto.randomUUID()
  const world = new BillingWorld(name, STORY_START)
  for (const act of PURCHASE) world.act(act, 3_600_000)
  const { allowance, tier, topup } = world.expected(STORY_START, world.now)
  return { userId: `user-${name}`, events: world.events, account: { allowance, tier, topup, debt: 0 } }
}

const inboxOver = (stores: Stores) => {
  const layer = Layer.succeedContext(stores)
  return Layer.build(Layer.fresh(Layer.provideMerge(billingUnderTest(layer as never), layer)))
}

/** Rows about a person in each cell. */
const rowsOf = (world: SplitWorld, userId: string) =>
  Effect.forEach(world.cells, ({ database: { schema, statement } }) =>
    Effect.map(
      statement<{ accounts: number; purchases: number }>(
        `SELECT (SELECT count(*) FROM ${schema}.credit_accounts WHERE user_id = $1) AS accounts,
           (SELECT count(*) FROM ${schema}.billing_purchases WHERE user_id = $1) AS purchases`,
        [userId]
      ),
      ([row]) => ({ ...row })
    )
  )

/** Applies events that wait although their person is known, as background work does. */
const catchingUp = Effect.gen(function* () {
  const { stranded } = yield* BillingUpkeep
  const inbox = yield* PaymentInbox
  for (const id of yield* stranded(100))
    yield* Effect.catchTag(inbox.replay(id), "PaymentEventNotFound", () => Effect.void)
})

const NONE = { accounts: 0, purchases: 0 }

describe.runIf(hasPostgres)("payments of a cell that is split", { timeout: 120_000 }, () => {
  it("are not applied again for a person whom the cell alone has erased", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1, { hasGlobal: true })
      const [server] = world.servers
      const stores = server?.routed as Stores
      const inbox = (yield* inboxOver(stores)) as Context.Context<unknown>
      const { events, userId } = storyOf(true)
      for (const event of events) yield* Effect.provideContext(deliver(event), inbox as never)
      yield* Effect.provide(
        CreditLedger.use((ledger) =>
          ledger.run(closeAccount({ userId, key: `closed:${crypto.randomUUID()}`, lowest: "free" }))
        ),
        stores
      )
      // The process ends after the commit of the cell.
      const erasure = PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
      yield* Effect.provide(erasure, server?.cells["a"] as Stores)
      yield* splitCell(world.split)
      for (const event of [...events, ...events])
        yield* Effect.ignore(Effect.provideContext(deliver(event), inbox as never))
      expect(yield* rowsOf(world, userId)).toEqual([NONE, NONE])
    }).pipe(Effect.scoped, Effect.runPromise))

  it.each([true, false])(
    "are applied once, also if some came before the split (a global database of its own: %s)",
    (hasGlobal) =>
      Effect.gen(function* () {
        const world = yield* openCopiedWorld(1, { hasGlobal })
        const stores = world.servers[0]?.routed as Stores
        const inbox = (yield* inboxOver(stores)) as Context.Context<unknown>
        const deliverAll = (events: ReadonlyArray<Parameters<typeof deliver>[0]>) =>
          Effect.forEach(events, (event) =>
            Effect.retry(Effect.provideContext(deliver(event), inbox as never) as Effect.Effect<unknown, unknown>, {
              times: 5
            })
          )
        const stories = [true, false].flatMap((upper) =>
          ordersOf([0, 1, 2]).flatMap((order) =>
            [0, 1, 2, 3].map((before) => ({ ...storyOf(upper), before, order, upper }))
          )
        )
        const inOrder = ({ events, order }: (typeof stories)[number]) => order.flatMap((at) => events[at] ?? [])
        for (const story of stories) yield* deliverAll(inOrder(story).slice(0, story.before))
        yield* splitCell(world.split)
        for (const story of stories) yield* deliverAll([...inOrder(story).slice(story.before), ...story.events])
        yield* Effect.provideContext(catchingUp, inbox as never)
        for (const cell of world.cells) yield* eraseMoved(cell, 0)
        for (const { account, userId, upper, ...which } of stories) {
          const found = yield* Effect.provide(
            Effect.flatMap(testedLedger, (ledger) => ledger.account(userId)),
            stores
          )
          expect(found, JSON.stringify(which)).toMatchObject(account)
          const here = { accounts: 1, purchases: 1 }
          expect(yield* rowsOf(world, userId)).toEqual(upper ? [NONE, here] : [here, NONE])
        }
        const { differences } = yield* Effect.provide(
          CreditUpkeep.use((upkeep) => upkeep.verify({ limit: 100, after: undefined, since: undefined })),
          stores
        )
        expect(differences).toEqual([])
      }).pipe(Effect.scoped, Effect.runPromise)
  )
})
