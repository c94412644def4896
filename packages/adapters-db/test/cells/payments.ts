import {
  BillingStore,
  closeAccount,
  CreditLedger,
  PaymentEventStore,
  PersonalData,
  type ReceivedPaymentEvent
} from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { BillingAct } from "@parley/core/testing"
import { hasPostgres } from "../databases.ts"
import { FAULTS, type Fault } from "../faults/FaultyWire.ts"
import {
  balanceOf,
  between,
  catchUp,
  claimsOf,
  insist,
  openPaymentCells,
  ordersOf,
  type PaymentCells,
  run,
  type Server,
  statesOf,
  storedOf,
  storyIn
} from "./paymentCells.ts"

const CELLS = [0, 1]

const link = (userId: string, customerId: string) =>
  BillingStore.use((store) => store.link({ userId, customerId, replaces: undefined }))

/** An event of a checkout without the id that this server writes into it. */
const nameless = (received: ReceivedPaymentEvent): ReceivedPaymentEvent => {
  const { event } = received
  if (event._tag !== "Checkout") throw new Error("No checkout.")
  const { payload: _payload, ...rest } = {
    ...received,
    event: { ...event, session: { ...event.session, userId: undefined } }
  }
  return { ...rest, payload: JSON.stringify(rest) }
}

/** A refund of a payment that nothing else names, of a customer. */
const eventOf = (customerId: string): ReceivedPaymentEvent => {
  const paymentId = `pi_${crypto.randomUUID()}`
  const charge = {
    id: paymentId,
    paymentId,
    customerId,
    amount: 9,
    amountRefunded: 9,
    currency: "usd",
    invoiceId: null
  }
  const event = { _tag: "Charge", charge } as const
  const received = {
    id: `evt_${paymentId}`,
    kind: "charge.refunded",
    createdAt: Date.UTC(2027, 0, 31),
    customerId,
    event
  }
  return { ...received, payload: JSON.stringify(received) }
}

/** Payments over two cells, with statements failing; `all`: each one, in more ways. */
export const paymentsOverCells = (all: boolean): void =>
  void describe.runIf(hasPostgres)("payments over two cells", () => {
    let cells: PaymentCells
    beforeAll(async () => {
      cells = await openPaymentCells()
    })
    afterAll(() => cells.close())

    const step = all ? 1 : 6

    /** The faults that the statement with this number, of all that a test counts, meets. */
    const faultsOf = (number: number): ReadonlyArray<Fault> => {
      const apart = all ? FAULTS.length / 2 : FAULTS.length
      return FAULTS.filter((_, at) => at % apart === number % apart)
    }

    /** What two cells store of a story whose events came one after another without a fault. */
    const expectedIn = async (cell: number, order = [0, 1, 2]) => {
      const story = storyIn(cell)
      for (const at of order) await insist(cells.other, story.events[at]!)
      return storedOf(cells.other, story)
    }

    const expectWhole = async (
      story: ReturnType<typeof storyIn>,
      expected: Awaited<ReturnType<typeof expectedIn>>,
      why: string
    ) => {
      expect(await storedOf(cells.other, story), why).toEqual(expected)
      expect(await balanceOf(cells.other, story.userId), why).toEqual({ ...story.account, debt: 0, differences: [] })
    }

    it("each event is applied once in its owner's cell, in every order, and again without effect", async () => {
      for (const cell of CELLS) {
        const expected = await expectedIn(cell)
        const [home, away] = [expected[cell], expected[1 - cell]]
        expect(home?.events.every((event) => event.endsWith("user-"))).toBe(true)
        expect(home).toMatchObject({ waits: 0, purchases: 1 })
        expect(away).toMatchObject({ events: [], waits: 0, linked: [], purchases: 0, transactions: 0 })
        expect(expected[0]?.claimed).toEqual(home?.linked)
        expect(expected[1]?.claimed).toEqual([])
        const orders = ordersOf([0, 1, 2])
        for (const order of all ? orders : orders.filter((_, at) => at % 2 === cell)) {
          const story = storyIn(cell)
          for (const at of [...order, ...order.toReversed()]) await insist(cells.other, story.events[at]!)
          const stored = await storedOf(cells.other, story)
          expect(stored, String(order)).toEqual(await expectedIn(cell, [...order]))
          const states = await statesOf(
            cells.other,
            story.events.map(({ id }) => id)
          )
          expect(new Set(states.values())).toEqual(new Set(["applied"]))
          expect(await balanceOf(cells.other, story.userId)).toEqual({ ...story.account, debt: 0, differences: [] })
        }
      }
    })

    it(
      "each statement refused, cut off or late: the provider's retry completes it once, and every answer is in the rows",
      { timeout: 3_600_000 },
      async ({ annotate }) => {
        // The ordinary run takes some statements of all histories.
        const every = all ? 1 : 43
        let number = 0
        let histories = 0
        for (const cell of CELLS) {
          const orders = ordersOf([0, 1, 2])
          for (const order of all ? orders : orders.filter((_, at) => at % 2 === cell)) {
            const expected = await expectedIn(cell, [...order])
            const counted = storyIn(cell)
            for (const [place, at] of order.entries()) {
              cells.wire.start()
              await insist(cells.tried, counted.events[at]!)
              await cells.wire.settled()
              const { length } = cells.wire.requests
              for (let request = 0; request < length; request += 1, number += 1) {
                if (number % every !== 0) continue
                for (const fault of faultsOf(number / every)) {
                  const story = storyIn(cell)
                  for (const [index, next] of order.entries()) {
                    cells.wire.start(index === place ? new Map([[request, fault]]) : undefined)
                    const answer = await insist(cells.tried, story.events[next]!)
                    await cells.wire.settled()
                    cells.wire.start()
                    const found = await statesOf(cells.other, [answer.id])
                    if (answer.state === "applied") expect(found.get(answer.id)).toBe("applied")
                  }
                  histories += 1
                  await catchUp(cells.other)
                  await expectWhole(story, expected, `${fault}: request ${request} of ${order[place]} in ${order}`)
                }
              }
            }
          }
        }
        await annotate(`${histories} histories with one fault each`)
        expect(histories).toBeGreaterThan(all ? 500 : 6)
      }
    )

    const ownerOf = (customerId: string) =>
      run(
        cells.other,
        BillingStore.use((store) => store.ownerOf([`customer:${customerId}`]))
      )
    const customerOf = async (userId: string) =>
      (
        await run(
          cells.other,
          BillingStore.use((store) => store.account(userId))
        )
      ).customerId

    it("events that share a transaction with others claim their links first, and find the events that wait for them", async () => {
      const acts: ReadonlyArray<BillingAct> = [
        { _tag: "subscribe", price: "price_pro" },
        { _tag: "renew", nth: 0, isPaid: true },
        { _tag: "disputePlan", nth: 0, isWon: false }
      ]
      let together = 0
      for (const cell of all ? CELLS : [1]) {
        const length = storyIn(cell, acts).events.length
        for (let place = 0; place < length; place += 1) {
          const story = storyIn(cell, acts)
          const dispute = story.events.find(({ event }) => event._tag === "Dispute")!
          const rest = story.events.filter((event) => event !== dispute)
          cells.wire.start()
          for (const event of rest.toSpliced(place, 0, dispute)) await insist(cells.tried, event)
          together += cells.wire.requests.filter((text) => text.includes("apply_payments")).length
          const stored = await storedOf(cells.other, story)
          const why = `${place} ${JSON.stringify(stored)}`
          expect(stored[cell]?.events, why).toHaveLength(length)
          expect(stored[1 - cell], why).toMatchObject({ events: [], waits: 0, linked: [] })
          expect(stored[cell]?.waits, why).toBe(0)
          expect(stored[0]?.claimed, why).toEqual(stored[cell]?.linked)
          expect(await balanceOf(cells.other, story.userId)).toEqual({ ...story.account, debt: 0, differences: [] })
        }
      }
      expect(together).toBeGreaterThan(1)
    })

    const on = <A, E, R>(server: Server, work: Effect.Effect<A, E, R>) => Effect.promise(() => run(server, work))

    it("an owner who is linked between any two statements of an event's receipt gets the event, once", async () => {
      for (const cell of all ? CELLS : [1]) {
        for (let request = 0; ; request += all ? 1 : 2) {
          const story = storyIn(cell)
          const [bought, refunded] = story.events
          // The refund names the customer alone. The purchase links the customer to its owner.
          const receiving = on(
            cells.tried,
            Effect.promise(() => insist(cells.tried, refunded!))
          )
          const { wasReached } = await between(cells.wire, request, receiving, () => insist(cells.other, bought!))
          if (!wasReached) break
          await insist(cells.other, story.events[2]!)
          await expectWhole(story, await expectedIn(cell), `cell ${cell}, request ${request}`)
        }
      }
    })

    it("an event that comes between any two statements of its owner's link is applied, once", async () => {
      for (const cell of all ? CELLS : [0]) {
        for (let request = 0; ; request += step) {
          const story = storyIn(cell)
          const [bought, refunded] = story.events
          const linking = on(
            cells.tried,
            Effect.promise(() => insist(cells.tried, bought!))
          )
          const { wasReached } = await between(cells.wire, request, linking, () => insist(cells.other, refunded!))
          if (!wasReached) break
          await insist(cells.other, story.events[2]!)
          await expectWhole(story, await expectedIn(cell), `cell ${cell}, request ${request}`)
        }
      }
    })

    const cellAfter = (cell: number) => `cell-${2 - cell}`

    /** Expects all of a story in one cell, and nothing of it in the other one. */
    const expectMoved = async (story: ReturnType<typeof storyIn>, present: number, why: string) => {
      await cells.eraseMoved({ olderThanMs: 0 })
      const stored = await storedOf(cells.other, story)
      expect(stored[present], why).toMatchObject({ waits: 0, purchases: 1 })
      expect(stored[present]?.events, why).toHaveLength(story.events.length)
      const nothing = { events: [], waits: 0, linked: [], purchases: 0, transactions: 0 }
      expect(stored[1 - present], why).toMatchObject(nothing)
      expect(stored[0]?.claimed, why).toEqual(stored[present]?.linked)
      const states = await statesOf(
        cells.other,
        story.events.map(({ id }) => id)
      )
      expect(new Set(states.values()), why).toEqual(new Set(["applied"]))
      const balance = { ...story.account, debt: 0, differences: [] }
      expect(await balanceOf(cells.other, story.userId), why).toEqual(balance)
    }

    it("an event that comes between any two statements of its person's import is part of the imported balance", async () => {
      let imports = 0
      for (const cell of all ? CELLS : [1]) {
        for (let request = 0; ; request += 1) {
          const { events, userId, world } = storyIn(cell, [{ _tag: "buy", payment: "now" }])
          const anonymous = nameless(events[0]!)
          const { customerId } = world
          const importing = Effect.promise(() =>
            run(
              cells.tried,
              Effect.result(
                BillingStore.use((store) =>
                  store.adopt([{ userId, customerId, importedAt: world.now + 60_000 }], { dryRun: false })
                )
              )
            )
          )
          const { ended, wasReached } = await between(cells.wire, request, importing, () =>
            insist(cells.other, anonymous)
          )
          if (!wasReached) break
          // The wire may let a commit overtake the statement that it holds: then the import fails.
          if (!Result.isSuccess(ended) || !Result.isSuccess(ended.success as Result.Result<unknown, unknown>)) continue
          imports += 1
          await catchUp(cells.other)
          const found = await statesOf(cells.other, [anonymous.id])
          expect(found.get(anonymous.id), `cell ${cell}, request ${request}`).toBe("ignored")
        }
      }
      expect(imports).toBeGreaterThan(2)
    })

    it("an owner who moves between any events takes them along; servers that do not know of it apply the others", async () => {
      for (const cell of all ? CELLS : [0]) {
        for (let moves = 0; moves <= 3; moves += 1) {
          const story = storyIn(cell)
          const order = [1, 0, 2].map((at) => story.events[at]!)
          for (const event of order.slice(0, moves)) await insist(cells.other, event)
          await cells.move(story.userId, cellAfter(cell))
          for (const event of [...order.slice(moves), ...order]) await insist(cells.tried, event)
          await expectMoved(story, 1 - cell, `cell ${cell}, before event ${moves}`)
        }
      }
    })

    it("an owner who moves between any two statements of an event's receipt has it applied once", async () => {
      for (const cell of all ? CELLS : [0]) {
        for (let request = 0; ; request += step) {
          const story = storyIn(cell)
          const [bought, refunded, dispute] = story.events
          await insist(cells.other, refunded!)
          const receiving = Effect.promise(() => insist(cells.tried, bought!))
          const { wasReached } = await between(cells.wire, request, receiving, () =>
            cells.move(story.userId, cellAfter(cell))
          )
          await insist(cells.tried, dispute!)
          if (!wasReached) break
          await expectMoved(story, 1 - cell, `cell ${cell}, request ${request}`)
        }
      }
    })

    it("two people in different cells race for one customer: one gets it, and the other is refused", async () => {
      for (let round = 0; round < (all ? 60 : 10); round += 1) {
        const customerId = `cus_${crypto.randomUUID()}`
        const people = CELLS.map((cell) => storyIn(cell).userId)
        const answers = await Promise.all(
          people.map((userId, at) => run(at === round % 2 ? cells.tried : cells.other, link(userId, customerId)))
        )
        const owners = people.filter((_, at) => answers[at]?.customerId === customerId)
        expect(owners).toHaveLength(1)
        expect(answers.filter((answer) => answer.customerId === undefined)).toHaveLength(1)
        expect(await ownerOf(customerId)).toEqual({ userId: owners[0] })
        for (const userId of people)
          expect(await customerOf(userId)).toBe(userId === owners[0] ? customerId : undefined)
      }
    })

    it("a link that breaks off at any statement is completed by its repetition, and gives the customer to no other", async () => {
      for (const cell of CELLS) {
        for (let request = 0; ; request += 1) {
          const [ann, ben] = [storyIn(cell).userId, storyIn(1 - cell).userId]
          const customerId = `cus_${crypto.randomUUID()}`
          cells.wire.start(new Map<number, Fault>([[request, FAULTS[request % FAULTS.length]!]]))
          const first = await run(cells.tried, Effect.result(link(ann, customerId)))
          await cells.wire.settled()
          const { length } = cells.wire.requests
          cells.wire.start()
          const owner = await ownerOf(customerId)
          if (owner !== undefined) {
            // An event of a customer that is claimed already belongs to the person, linked or not.
            const event = eventOf(customerId)
            await insist(cells.other, event)
            const [found] = await run(
              cells.other,
              PaymentEventStore.use((store) => store.find([event.id]))
            )
            expect(found?.userId).toBe(ann)
          }
          const second = await run(cells.other, link(ben, customerId))
          if (Result.isSuccess(first)) expect(second.customerId).toBeUndefined()
          const again = await run(cells.other, link(ann, customerId))
          expect(new Set([second.customerId, again.customerId])).toEqual(new Set([customerId, undefined]))
          if (request >= length) break
        }
      }
    })

    it("an erasure that breaks off at any statement and is repeated leaves payments that belong to no person", async () => {
      for (const cell of all ? CELLS : [1]) {
        for (let request = 0; ; request += all ? 1 : 3) {
          const story = storyIn(cell)
          const [bought, refunded, dispute] = story.events
          await insist(cells.other, bought!)
          const close = CreditLedger.use((ledger) =>
            ledger.run(closeAccount({ userId: story.userId, key: `closed:${crypto.randomUUID()}`, lowest: "free" }))
          )
          await run(cells.other, close)
          const erase = Effect.suspend(() =>
            PersonalData.use((data) => data.erase({ userId: story.userId, pseudonym: `erased:${crypto.randomUUID()}` }))
          )
          cells.wire.start(new Map<number, Fault>([[request, FAULTS[(request / (all ? 1 : 3)) % FAULTS.length]!]]))
          await run(cells.tried, Effect.result(erase))
          await cells.wire.settled()
          const { length } = cells.wire.requests
          cells.wire.start()
          const isErased = (await customerOf(story.userId)) === undefined
          // Payments of a person whose erasure failed go on.
          if (!isErased) expect(await ownerOf(story.world.customerId)).toEqual({ userId: story.userId })
          // A copy of an event that was applied before, and events that come later.
          await run(cells.other, erase)
          for (const event of [bought, refunded, dispute]) await insist(cells.other, event!)
          const stored = await storedOf(cells.other, story)
          const why = `cell ${cell}, request ${request}: ${JSON.stringify(stored)}`
          expect(
            stored.flatMap(({ claimed, linked }) => [...claimed, ...linked]).filter((one) => one.includes("user-")),
            why
          ).toEqual([])
          expect(await claimsOf(cells.other, story.userId), why).toEqual([])
          const states = await statesOf(
            cells.other,
            story.events.map(({ id }) => id)
          )
          // A done event of no person may be in both databases.
          expect(new Set(stored.flatMap(({ events }) => events)).size, why).toBe(story.events.length)
          expect(states.get(bought!.id), why).toBe("applied")
          expect(states.get(refunded!.id), why).toBe("ignored")
          const listed = await run(
            cells.other,
            PaymentEventStore.use((store) => store.find(story.events.map(({ id }) => id)))
          )
          for (const { payload, userId } of listed) expect([payload, userId], why).toEqual([undefined, undefined])
          if (request >= length) break
        }
      }
    })
  })
