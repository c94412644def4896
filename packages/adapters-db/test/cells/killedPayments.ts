/** Servers that end at any statement while the owner of their event moves: each event is applied once. */
import { deliver } from "@parley/core/testing"
import { Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isDone } from "@parley/core/adapter"
import { hasPostgres } from "../databases.ts"
import {
  balanceOf,
  catchUp,
  ENDS,
  endingAt,
  insist,
  openPaymentCells,
  ordersOf,
  type PaymentCells,
  type ProcessEnd,
  statesOf,
  storedOf,
  storyIn
} from "./paymentCells.ts"

/** Time after which a move counts as waiting for a lock of the server that is to end. */
const WAIT_MS = 40

type Story = ReturnType<typeof storyIn>
type Event = Story["events"][number]

/** One event whose server ends, in one order of all events. */
interface Killed extends ProcessEnd {
  readonly cell: number
  readonly order: ReadonlyArray<number>
  /** The place in the order of the event whose server ends. */
  readonly place: number
  /** The request before which the owner's move begins; undefined if the owner stays. */
  readonly moveAt: number | undefined
  /** True if background work finds the event before its next delivery. */
  readonly isSwept: boolean
}

const textOf = ({ cell, how, isSwept, last, moveAt, order, place }: Killed): string =>
  `cell ${cell}, order ${order}, ${how} of request ${last} of event ${order[place]}, move before ${moveAt}${isSwept ? ", swept" : ""}`

/** Moves the owner, again if a transaction of the server that ended was still open. */
const moving = async (cells: PaymentCells, userId: string, cell: number): Promise<void> => {
  for (let attempt = 0; ; attempt += 1)
    try {
      await cells.move(userId, `cell-${2 - cell}`)
      return
    } catch (error) {
      if (attempt === 5) throw error
    }
}

/** Expects all of a story in one cell, applied once, and nothing of it in the other one. */
const expectOnce = async (cells: PaymentCells, story: Story, present: number, transactions: number, why: string) => {
  const stored = await storedOf(cells.other, story)
  const text = `${why}: ${JSON.stringify(stored)}`
  expect(stored[present], text).toMatchObject({ waits: 0, purchases: 1, transactions })
  expect(stored[present]?.events, text).toHaveLength(story.events.length)
  for (const event of stored[present]?.events ?? []) expect(event, text).toMatch(/ applied user-$/)
  expect(stored[1 - present], text).toMatchObject({ events: [], waits: 0, linked: [], purchases: 0, transactions: 0 })
  expect(stored[0]?.claimed, text).toEqual(stored[present]?.linked)
  expect(await balanceOf(cells.other, story.userId), text).toEqual({ ...story.account, debt: 0, differences: [] })
}

const play = async (cells: PaymentCells, killed: Killed, transactions: number) => {
  const { cell, isSwept, moveAt, order, place } = killed
  const why = textOf(killed)
  const story = storyIn(cell)
  const events = order.map((at) => story.events[at] as Event)
  const event = events[place] as Event
  for (const before of events.slice(0, place)) await insist(cells.other, before)
  let move: Promise<void> | undefined
  const { answer, wasReached } = await endingAt(cells, killed, deliver(event), async (request) => {
    if (request !== moveAt) return
    let hasMoved = false
    move = moving(cells, story.userId, cell).finally(() => (hasMoved = true))
    const until = performance.now() + WAIT_MS
    while (!hasMoved && performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
  })
  await move
  // An answer that the provider got is in the rows, before anything is repeated.
  if (Option.isSome(answer) && isDone(answer.value.state))
    expect((await statesOf(cells.other, [event.id])).get(event.id), why).toBe(answer.value.state)
  if (isSwept) await catchUp(cells.other)
  for (const next of events.slice(place)) {
    const { id, state } = await insist(cells.other, next)
    if (isDone(state)) expect((await statesOf(cells.other, [id])).get(id), why).toBe(state)
  }
  await catchUp(cells.other)
  await cells.eraseMoved({ olderThanMs: 0 })
  const present = move === undefined ? cell : 1 - cell
  await expectOnce(cells, story, present, transactions, why)
  for (const copy of events.toReversed()) await insist(cells.tried, copy)
  await expectOnce(cells, story, present, transactions, `${why}, and again`)
  return { wasReached, hasMoved: move !== undefined }
}

/** The number of requests of each event of a story in an order, and the transactions of its owner. */
const counted = async (cells: PaymentCells, cell: number, order: ReadonlyArray<number>) => {
  const story = storyIn(cell)
  const requests: Array<number> = []
  for (const at of order) {
    cells.wire.start()
    await insist(cells.tried, story.events[at] as Event)
    await cells.wire.settled()
    requests.push(cells.wire.requests.length)
  }
  return { requests, transactions: (await storedOf(cells.other, story))[cell]?.transactions ?? 0 }
}

/** `share`: one of how many statements of all orders is tried; 1 for each. */
export const killedPayments = (share: number): void =>
  void describe.runIf(hasPostgres)("servers that end while the owner moves: each event is applied once", () => {
    let cells: PaymentCells
    let number = 0
    beforeAll(async () => {
      cells = await openPaymentCells()
    })
    afterAll(() => cells.close())

    for (const cell of [0, 1])
      for (const order of ordersOf([0, 1, 2]))
        it(`cell ${cell}, order ${order}: after any last statement`, { timeout: 3_600_000 }, async ({ annotate }) => {
          const began = performance.now()
          let [kills, moves] = [0, 0]
          const { requests, transactions } = await counted(cells, cell, order)
          for (const place of order.keys())
            for (const how of ENDS)
              // With a move there are more requests: the last ones are those of servers that did not end.
              for (let last = 0; share === 1 || last < (requests[place] ?? 0); last += 1) {
                number += 1
                if (number % share !== 0) continue
                // Before each of the requests in turn, and at times not at all.
                const moveAt = (Math.floor(number / share) * 7) % (last + 2)
                const killed = { cell, order, place, how, last, moveAt: moveAt > last ? undefined : moveAt }
                const done = await play(cells, { ...killed, isSwept: number % 3 === 0 }, transactions)
                kills += Number(done.wasReached)
                moves += Number(done.hasMoved)
                if (!done.wasReached) break
              }
          const seconds = Math.round((performance.now() - began) / 1_000)
          await annotate(`${kills} ends of a server, ${moves} moves, ${seconds} seconds`)
        })

    it("an event that waited and was applied, while its server ends: the owner moves to the global database at once", async () => {
      for (const how of share === 1 ? ENDS : ENDS.slice(0, 1))
        for (let last = 0; ; last += share === 1 ? 1 : 9) {
          const story = storyIn(1)
          const [bought, refunded, dispute] = story.events as [Event, Event, Event]
          await insist(cells.other, refunded)
          const { wasReached } = await endingAt(cells, { how, last }, deliver(bought))
          const why = `${how} of request ${last}`
          await moving(cells, story.userId, 1).catch((error: unknown) => expect.fail(`${why}: ${error}`))
          for (const event of [dispute, bought, refunded]) await insist(cells.other, event)
          await catchUp(cells.other)
          await cells.eraseMoved({ olderThanMs: 0 })
          const stored = await storedOf(cells.other, story)
          expect(
            stored.map(({ events, waits }) => [events.length, waits]),
            why
          ).toEqual([
            [3, 0],
            [0, 0]
          ])
          expect(await balanceOf(cells.other, story.userId), why).toEqual({
            ...story.account,
            debt: 0,
            differences: []
          })
          if (!wasReached) break
        }
    }, 600_000)
  })
