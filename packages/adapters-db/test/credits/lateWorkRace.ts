import { HoldSweeper, runtimeOf } from "@parley/core/effect"
import type { Parley, WorkPayment } from "@parley/core"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { patiently, tagOf, withProcesses } from "./creditProcesses.ts"

const KEYS = 6
const pages = (quantity: number) => ({ lines: [{ label: "pages", quantity, unitPrice: 1 }] })
const soon = <A>(ask: () => Promise<A>) => patiently(ask, ["StorageFailed"])
const sweep = (parley: Parley) => runtimeOf(parley).runPromise(HoldSweeper.use((sweeper) => sweeper.sweep))

/** The total price of a payment. */
const costOf = (payment: WorkPayment): number =>
  payment._tag === "Released" ? 0 : payment.receipt.charged + (payment.receipt.chargedBefore ?? 0)

type Processes = readonly [Parley, Parley, Parley, Parley]

/** The number of times that the sweeper, and that the report, came first. */
const outcomes = { late: 0, inTime: 0 }

const count = (payment: WorkPayment): void => {
  if (payment._tag === "Settled") outcomes[payment.receipt.held === 10 ? "inTime" : "late"] += 1
}

const keysOf = (userId: string) => Array.from({ length: KEYS }, (_, place) => ({ userId, key: `order-${place}` }))

const usageOf = async ({ credits }: Parley, userId: string) =>
  (await credits.history({ userId, limit: 200, offset: 0, type: "usage" })).transactions

/** Holds of 10 credits that expire after a millisecond. */
const reserveAll = async ({ credits }: Parley, userId: string) => {
  const names = keysOf(userId)
  await Promise.all(names.map((name) => soon(() => credits.reserve({ ...name, amount: 10, source: "key:shop" }))))
  return names
}

/** Reports of the same work from three processes, while two sweep and one asks for another attempt. */
const settleBesideSweeps = async ([first, second, third, fourth]: Processes, userId: string) => {
  const names = await reserveAll(first, userId)
  const settles = names.map(async (name, place) => {
    if (place % 2 === 0) await soon(() => second.credits.renew(name, pages(3).lines)).catch(() => undefined)
    const reports = [first, second, third].map(({ credits }) => soon(() => credits.settle(name, pages(7))))
    const again = soon(() => fourth.credits.reserve({ ...name, amount: 10, source: "key:shop" })).catch((error) => {
      expect(tagOf(error)).toBe("WorkExpired")
    })
    const payments = await Promise.all(reports)
    await again
    for (const payment of payments) {
      expect(costOf(payment)).toBe(7)
      expect(payment).toEqual(payments[0])
    }
    count(payments[0] as WorkPayment)
  })
  await Promise.all([...settles, sweep(third), sweep(fourth), sweep(first)])
  const rows = await usageOf(first, userId)
  expect(rows.reduce((sum, { amount }) => sum - amount, 0)).toBe(7 * KEYS)
  expect(await first.credits.balance(userId)).toMatchObject({ available: 100 - 7 * KEYS, held: 0, debt: 0 })
}

/** Reports for more than the balance has, because another spender takes the credits that the sweeps released. */
const settleForMoreThanThereIs = async ([first, second, third, fourth]: Processes, userId: string) => {
  const names = await reserveAll(first, userId)
  const spend = soon(() =>
    fourth.credits.reserve({ userId, key: "other", amount: 75, minimumAmount: 1, source: "chat" })
  )
  const settles = names.map(({ key }) =>
    soon(() => second.credits.settle({ userId, key }, pages(10))).then(
      (payment) => ({ key, cost: costOf(payment) }),
      (error: unknown) => {
        expect(tagOf(error)).toBe("WorkExpired")
        return { key, cost: 0 }
      }
    )
  )
  const [ended, { held }] = await Promise.all([Promise.all(settles), spend, sweep(third), sweep(fourth)])
  const paid = ended.reduce((sum, { cost }) => sum + cost, 0)
  const { available, debt } = await first.credits.balance(userId)
  expect([available >= 0, debt]).toEqual([true, 0])
  await sweep(first)
  // The hold of the other spender expired as well, so that the rest can be paid now.
  for (const { cost, key } of ended) {
    const payment = await soon(() => third.credits.settle({ userId, key }, pages(10)))
    expect(costOf(payment)).toBe(10)
    if (cost > 0) expect(cost).toBe(10)
  }
  expect(held).toBeGreaterThan(0)
  expect(paid).toBeLessThanOrEqual(10 * KEYS)
  const rows = await usageOf(first, userId)
  expect(rows.reduce((sum, { amount }) => sum - amount, 0)).toBe(10 * KEYS)
  expect(await first.credits.balance(userId)).toMatchObject({ available: 100 - 10 * KEYS, held: 0, debt: 0 })
}

/** A release and a report of the same work, while others sweep: the first one counts, and both get the same answer. */
const releaseBesideSettle = async ([first, second, third, fourth]: Processes, userId: string) => {
  const names = await reserveAll(first, userId)
  const ends = names.map(async (name) => {
    const [released, settled] = await Promise.all([
      soon(() => second.credits.release(name)),
      soon(() => third.credits.settle(name, pages(4)))
    ])
    expect(settled).toEqual(released)
    expect(await soon(() => first.credits.settle(name, pages(4)))).toEqual(released)
    return costOf(released)
  })
  const [costs] = await Promise.all([Promise.all(ends), sweep(fourth), sweep(first)])
  const cost = costs.reduce((sum, each) => sum + each, 0)
  expect(await first.credits.balance(userId)).toMatchObject({ available: 100 - cost, held: 0, debt: 0 })
}

const SCENES = { settleBesideSweeps, settleForMoreThanThereIs, releaseBesideSettle }

/** Plays this number of rounds of each scene, each for a new person. */
export const lateWorkRace = (rounds: number): void => {
  describe.runIf(hasPostgres)(`work settled at the moment its hold ends, on Postgres, ${rounds} rounds`, () => {
    it(
      "is charged once, for all of it, and never below zero, whichever of sweeper and report comes first",
      () =>
        withProcesses(4, { holdTtlMs: 1 }, async (processes) => {
          for (let round = 0; round < rounds; round += 1) {
            for (const [scene, play] of Object.entries(SCENES)) {
              await play(processes as unknown as Processes, `${scene}-${round}`)
            }
          }
          expect((await (processes[0] as Parley).credits.verify()).differences).toEqual([])
          expect(outcomes.late + outcomes.inTime).toBe(rounds * KEYS)
          if (rounds < 20) return
          expect(outcomes.late, "some reports came after the sweeper").toBeGreaterThan(0)
          expect(outcomes.inTime, "some reports came before it").toBeGreaterThan(0)
        }),
      600_000
    )
  })
}
