/** Payments of people whose cell is split. */
import { closeAccount, CreditLedger, PersonalData } from "@parley/core/adapter"
import { billingUnderTest, BillingWorld, deliver, STORY_START } from "@parley/core/testing"
import { type Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import type { Stores } from "./movingOwners.ts"
import { PURCHASE } from "./paymentCells.ts"
import { isUpper, type SplitWorld } from "./splitWorld.ts"

/** A person who goes along, or stays, with the events of a purchase. */
const storyOf = (upper: boolean) => {
  let name = crypto.randomUUID()
  while (isUpper(`user-${name}`) !== upper) name = crypto.randomUUID()
  const world = new BillingWorld(name, STORY_START)
  for (const act of PURCHASE) world.act(act, 3_600_000)
  return { userId: `user-${name}`, events: world.events }
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
})
