/** Imports over two cells whose process ends at any statement, and an event before the repetition, which completes them. */
import { BillingStore, type ReceivedPaymentEvent } from "@parley/core/adapter"
import { UserImport } from "@parley/core/effect"
import { atTime, BillingWorld } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { hasPostgres } from "../databases.ts"
import {
  balanceOf,
  catchUp,
  endingAt,
  ENDS,
  insist,
  openPaymentCells,
  type PaymentCells,
  run,
  type Server,
  storedOf
} from "./paymentCells.ts"

const START = Date.UTC(2026, 0, 31, 10)
const IMPORTED = { allowance: 3, topup: 40 }

/** What reaches the other server between the end of the import and its repetition. */
const BETWEEN = ["nothing", "a copy of the event", "background work"] as const

/** A person of a cell who bought before the import, and the event of the purchase, which names the customer alone. */
const importIn = (cell: number) => {
  let name = crypto.randomUUID()
  while (bucketOf(`user-${name}`) % 2 !== cell) name = crypto.randomUUID()
  const world = new BillingWorld(name, START)
  world.act({ _tag: "buy", payment: "now" }, 3_600_000)
  const [bought] = world.events
  if (bought?.event._tag !== "Checkout") throw new Error("No checkout.")
  const { payload: _payload, ...rest } = bought
  const anonymous = { ...rest, event: { ...bought.event, session: { ...bought.event.session, userId: undefined } } }
  const event: ReceivedPaymentEvent = { ...anonymous, payload: JSON.stringify(anonymous) }
  const asOf = world.now + 86_400_000
  const line = { user: `user-${name}`, ...IMPORTED, stripeCustomer: world.customerId, anchor: START }
  return { name, userId: line.user, customerId: world.customerId, event, line, asOf }
}

type Imported = ReturnType<typeof importIn>

const importing = ({ asOf, line }: Imported) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(Layer.fresh(UserImport.layer)), (context) =>
      Effect.provideContext(
        atTime(
          asOf + 1_000,
          UserImport.use((users) => users.import([line], { asOf }))
        ),
        context
      )
    )
  )

/** Expects that the balance is the imported one, and that the purchase before it was part of it. */
const expectImported = async (on: Server, { event, line, name, userId }: Imported, cell: number, why: string) => {
  const stored = await storedOf(on, { name, userId })
  const text = `${why}: ${JSON.stringify(stored)}`
  expect(
    stored.flatMap(({ events }) => events),
    text
  ).toEqual([expect.stringContaining("ignored")])
  expect(stored[cell]?.linked, text).toContain(`customer:cus_ user-`)
  expect(stored[1 - cell], text).toMatchObject({ events: [], waits: 0, linked: [], purchases: 0, transactions: 0 })
  expect(stored[cell], text).toMatchObject({ waits: 0, purchases: 0 })
  expect(stored[0]?.claimed, text).toEqual(stored[cell]?.linked)
  const { allowance, topup } = line
  expect(await balanceOf(on, userId), text).toMatchObject({ allowance, topup, debt: 0, differences: [] })
  const [account] = [
    await run(
      on,
      BillingStore.use((store) => store.account(userId))
    )
  ]
  expect(account.importedAt, text).toBeDefined()
  expect(event.createdAt).toBeLessThan(account.importedAt ?? 0)
}

export const importsOverCells = (all: boolean): void =>
  void describe.runIf(hasPostgres)("imports over two cells", () => {
    let cells: PaymentCells
    beforeAll(async () => {
      cells = await openPaymentCells()
    })
    afterAll(() => cells.close())

    for (const between of BETWEEN)
      it(`a process that ends at any statement, then ${between}: a repetition completes the import`, async ({
        annotate
      }) => {
        let kills = 0
        for (const cell of [1, 0])
          for (const how of ENDS)
            for (let last = 0; ; last += all ? 1 : 9) {
              const imported = importIn(cell)
              if (between !== "a copy of the event") await insist(cells.other, imported.event)
              const { wasReached } = await endingAt(cells, { last, how }, importing(imported))
              const why = `cell ${cell}, ${how} of request ${last}, ${between}`
              if (between === "a copy of the event") await insist(cells.other, imported.event)
              if (between === "background work") await catchUp(cells.other)
              const report = await run(cells.other, importing(imported))
              expect(report.refused, why).toEqual([])
              await catchUp(cells.other)
              await insist(cells.other, imported.event)
              await expectImported(cells.other, imported, cell, why)
              kills += 1
              if (!wasReached) break
            }
        await annotate(`${kills} ends`)
      })
  })
