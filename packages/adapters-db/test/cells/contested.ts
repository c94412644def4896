/** Events whose references belong to two people: exactly one of them gets the event. */
import type { ReceivedPaymentEvent } from "@parley/core/adapter"
import { PaymentInbox } from "@parley/core/effect"
import { type BillingAct } from "@parley/core/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { FAULTS, type Fault } from "../faults/FaultyWire.ts"
import {
  between,
  catchUp,
  insist,
  openPaymentCells,
  type PaymentCells,
  run,
  type Server,
  storyIn
} from "./paymentCells.ts"
import { CellDatabases } from "./routedStores.ts"

const SUBSCRIBED: ReadonlyArray<BillingAct> = [{ _tag: "subscribe", price: "price_pro" }]
const BOUGHT: ReadonlyArray<BillingAct> = [{ _tag: "buy", payment: "now" }]

const sent = (received: ReceivedPaymentEvent): ReceivedPaymentEvent => {
  const { payload: _payload, ...rest } = received
  return { ...rest, payload: JSON.stringify(rest) }
}

/** Ann in one cell links the customer of an event; Ben in the other one has its subscription, by an event of his own. */
export const contestIn = (cell: number) => {
  const story = storyIn(1 - cell, SUBSCRIBED)
  const { customerId } = story.world
  const report = story.events.find(({ event }) => event._tag === "Subscription")
  const paid = story.events.find(({ event }) => event._tag === "InvoicePaid")
  if (report?.event._tag !== "Subscription" || paid?.event._tag !== "InvoicePaid") throw new Error("No subscription.")
  const other = `${customerId}_of_ben`
  const { subscription } = report.event
  return {
    ann: storyIn(cell).userId,
    ben: story.userId,
    customerId,
    /** Names the customer first, and then the subscription, and no person. */
    paid: sent({ ...paid, event: { ...paid.event, invoice: { ...paid.event.invoice, userId: undefined } } }),
    /** Gives the subscription to Ben. */
    report: sent({
      ...report,
      customerId: other,
      event: { _tag: "Subscription", subscription: { ...subscription, customerId: other } }
    })
  }
}

type Contest = ReturnType<typeof contestIn>

/** A purchase that names Ben, and a customer whom Ann links. */
const purchaseIn = (cell: number) => {
  const story = storyIn(1 - cell, BOUGHT)
  return {
    ann: storyIn(cell).userId,
    ben: story.userId,
    customerId: story.world.customerId,
    paid: story.events[0] as ReceivedPaymentEvent
  }
}

export const linking = ({ ann, customerId }: Pick<Contest, "ann" | "customerId">) =>
  PaymentInbox.use((inbox) => inbox.link({ userId: ann, customerId, replaces: undefined }))

const patiently = async (work: () => Promise<unknown>): Promise<void> => {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    try {
      return void (await work())
    } catch {
      // The caller repeats it, as the provider does.
    }
  }
  throw new Error("It never succeeded.")
}

/** Rows of an event and grants of two people in one database. */
interface Outcome {
  readonly events: ReadonlyArray<{ readonly owner: string | null; readonly state: string }>
  readonly granted: ReadonlyArray<string>
}

export const outcomeOf = (on: Server, { ann, ben, paid }: Pick<Contest, "ann" | "ben" | "paid">) =>
  run(
    on,
    Effect.gen(function* () {
      const { databases } = yield* CellDatabases
      return yield* Effect.forEach(databases, ({ schema, statement }) =>
        Effect.map(
          statement<Outcome & Record<string, unknown>>(
            `SELECT coalesce((
               SELECT json_agg(json_build_object('owner', e.owner, 'state', e.state)) FROM ${schema}.payment_events e
               WHERE e.event_id = $1), '[]') AS events,
             ARRAY(SELECT DISTINCT t.user_id FROM ${schema}.credit_transactions t
               WHERE t.user_id = ANY($2) AND t.type IN ('renewal', 'topup', 'plan', 'reset')) AS granted`,
            [paid.id, [ann, ben]]
          ),
          ([row]) => row as Outcome
        )
      )
    })
  )

/** Expects that one person has the event and its credits, and that the other one has nothing of it; returns the person. */
const expectOne = async (on: Server, contest: Pick<Contest, "ann" | "ben" | "paid">, why: string) => {
  await catchUp(on)
  const outcome = await outcomeOf(on, contest)
  const text = `${why}: ${JSON.stringify(outcome)}`
  const events = outcome.flatMap((one) => one.events)
  expect(events.length, text).toBe(1)
  expect(events[0]?.state, text).toBe("applied")
  const owner = events[0]?.owner
  expect([contest.ann, contest.ben], text).toContain(owner)
  expect(
    outcome.flatMap(({ granted }) => granted),
    text
  ).toEqual([owner])
  return owner as string
}

export const contestedPayments = (all: boolean): void =>
  void describe.runIf(hasPostgres)("events that two people of different cells may own", () => {
    let cells: PaymentCells
    beforeAll(async () => {
      cells = await openPaymentCells()
    })
    afterAll(() => cells.close())

    const step = all ? 1 : 18

    it("one after another: the one who claims a reference first gets the event that waits for it", async () => {
      for (const cell of [0, 1])
        for (const isAnnFirst of [true, false]) {
          const contest = contestIn(cell)
          await insist(cells.other, contest.paid)
          const link = () => run(cells.other, linking(contest))
          const report = () => insist(cells.other, contest.report)
          for (const work of isAnnFirst ? [link, report] : [report, link]) await work()
          const owner = await expectOne(cells.other, contest, `cell ${cell}`)
          expect(owner).toBe(isAnnFirst ? contest.ann : contest.ben)
        }
    })

    it("both claim at once, between any two statements: one of them gets the event that waits", async () => {
      const owners = new Set<boolean>()
      for (const cell of [0, 1])
        for (const isAnnTried of [true, false])
          for (let request = 0; ; request += step) {
            const contest = contestIn(cell)
            await insist(cells.other, contest.paid)
            const link = (on: Server) => () => run(on, linking(contest))
            const report = (on: Server) => () => insist(on, contest.report)
            const [first, second] = isAnnTried
              ? [link(cells.tried), report(cells.other)]
              : [report(cells.tried), link(cells.other)]
            const { wasReached } = await between(
              cells.wire,
              request,
              Effect.promise(() => patiently(first)),
              () => patiently(second)
            )
            const why = `cell ${cell}, ${isAnnTried ? "Ann" : "Ben"} first, request ${request}`
            owners.add((await expectOne(cells.other, contest, why)) === contest.ann)
            if (!wasReached) break
          }
      expect(owners).toEqual(new Set([true, false]))
    })

    it("another copy arrives while both claim: the event is applied once", async () => {
      for (const cell of [0, 1])
        for (let request = 0; ; request += step) {
          const contest = contestIn(cell)
          await insist(cells.other, contest.paid)
          const { wasReached } = await between(
            cells.wire,
            request,
            Effect.promise(() => patiently(() => insist(cells.tried, contest.report))),
            async () => {
              await patiently(() => run(cells.other, linking(contest)))
              await insist(cells.other, contest.paid)
            }
          )
          await expectOne(cells.other, contest, `cell ${cell}, request ${request}`)
          if (!wasReached) break
        }
    })

    it("an event that names one person, while its customer goes to another one, is applied once", async () => {
      for (const cell of [0, 1])
        for (let request = 0; ; request += step) {
          const purchase = purchaseIn(cell)
          const { wasReached } = await between(
            cells.wire,
            request,
            Effect.promise(() => insist(cells.tried, purchase.paid)),
            async () => {
              await patiently(() => run(cells.other, linking(purchase)))
              await insist(cells.other, purchase.paid)
            }
          )
          await insist(cells.other, purchase.paid)
          await expectOne(cells.other, purchase, `cell ${cell}, request ${request}`)
          if (!wasReached) break
        }
    })

    it("a claim that breaks off at any statement leaves the event to one person", async () => {
      for (const cell of [0, 1])
        for (const isAnnTried of [true, false])
          for (let request = 0; ; request += step) {
            const faults: ReadonlyArray<Fault> = all ? FAULTS : [FAULTS[(request / step) % FAULTS.length] as Fault]
            let length = 0
            for (const fault of faults) {
              const contest = contestIn(cell)
              await insist(cells.other, contest.paid)
              const tried: () => Promise<unknown> = isAnnTried
                ? () => run(cells.tried, linking(contest))
                : () => insist(cells.tried, contest.report)
              const other: () => Promise<unknown> = isAnnTried
                ? () => insist(cells.other, contest.report)
                : () => run(cells.other, linking(contest))
              cells.wire.start(new Map([[request, fault]]))
              await run(cells.tried, Effect.result(Effect.tryPromise(tried)))
              await cells.wire.settled()
              length = cells.wire.requests.length
              cells.wire.start()
              await patiently(other)
              await insist(cells.other, contest.paid)
              await patiently(tried)
              await expectOne(cells.other, contest, `cell ${cell}, Ann ${isAnnTried}, ${fault} of request ${request}`)
            }
            if (request >= length) break
          }
    })

    it("random orders of claims, copies and faults: one of them gets each event", async ({ annotate }) => {
      const seed = Number(process.env["PARLEY_TEST_SEED"] ?? Date.now() % 1_000_000)
      await annotate(`seed ${seed}`)
      let state = seed
      const random = (below: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return Math.floor((state / 4_294_967_296) * below)
      }
      for (let round = 0; round < (all ? 150 : 12); round += 1) {
        const contest = contestIn(random(2))
        const isWaiting = random(4) > 0
        if (isWaiting) await insist(cells.other, contest.paid)
        const on = () => (random(2) === 0 ? cells.tried : cells.other)
        const works: Array<() => Promise<unknown>> = [
          ...[on(), on()].map((server) => () => run(server, linking(contest))),
          ...[on(), on()].map((server) => () => insist(server, contest.report)),
          ...[on(), on()].map((server) => () => insist(server, contest.paid))
        ]
        const orders = works.map((work) => ({ work, at: random(1_000) })).toSorted((a, b) => a.at - b.at)
        const faults = new Map([[random(60), FAULTS[random(FAULTS.length)] as Fault]])
        cells.wire.start(random(2) === 0 ? faults : new Map())
        await Promise.all(orders.map(({ work }) => patiently(work)))
        await cells.wire.settled()
        cells.wire.start()
        await insist(cells.other, contest.paid)
        await expectOne(cells.other, contest, `seed ${seed}, round ${round}`)
      }
    }, 600_000)
  })
