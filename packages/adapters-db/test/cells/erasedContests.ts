/** Events whose references belong to two people, one of whom is erased: the other one gets nothing of an event that was applied. */
import { closeAccount, CreditLedger, PersonalData, type ReceivedPaymentEvent } from "@parley/core/adapter"
import { deliver } from "@parley/core/testing"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { contestIn, linking, outcomeOf } from "./contested.ts"
import {
  between,
  catchUp,
  ENDS,
  endingAt,
  insist,
  openPaymentCells,
  type PaymentCells,
  run,
  statesOf,
  storyIn
} from "./paymentCells.ts"
import { CellDatabases } from "./routedStores.ts"

type Contest = ReturnType<typeof contestIn>

const closing = ({ ann }: Pick<Contest, "ann">) =>
  CreditLedger.use((ledger) =>
    ledger.run(closeAccount({ userId: ann, key: `closed:${crypto.randomUUID()}`, lowest: "free" }))
  )

/** An event of Ann was applied, one of whose references is Ben's; Ann has closed the account. */
const appliedContest = async (cells: PaymentCells, cell: number): Promise<Contest> => {
  const contest = contestIn(cell)
  await insist(cells.other, contest.report)
  await run(cells.other, linking(contest))
  expect((await insist(cells.other, contest.paid)).state).toBe("applied")
  await run(cells.other, closing(contest))
  return contest
}

const erasing = ({ ann }: Pick<Contest, "ann">) =>
  Effect.suspend(() =>
    PersonalData.use((data) => data.erase({ userId: ann, pseudonym: `erased:${crypto.randomUUID()}` }))
  )

/** Claims a reference for Ann, as a link does before the commit of the cell. */
const claiming = ({ ann }: Contest, reference: string) =>
  Effect.flatMap(CellDatabases, ({ databases: [global] }) =>
    global === undefined
      ? Effect.die(new Error("There is no database."))
      : global.statement(`SELECT ${global.schema}.claim_payments($1, $2, NULL)`, [[ann], [reference]])
  )

/** An event that names Ann's customer, and no reference of Ben. */
const nextOf = ({ customerId, report }: Pick<Contest, "customerId" | "report">) => {
  if (report.event._tag !== "Subscription") throw new Error("No subscription.")
  const subscription = { ...report.event.subscription, id: `sub_${crypto.randomUUID()}`, customerId }
  const { payload: _payload, ...rest } = {
    ...report,
    id: `evt_${crypto.randomUUID()}`,
    customerId,
    event: { _tag: "Subscription" as const, subscription }
  }
  return { ...rest, payload: JSON.stringify(rest) }
}

const expectNothingOfBen = async (cells: PaymentCells, contest: Contest, why: string) => {
  await catchUp(cells.other)
  const outcome = await outcomeOf(cells.other, contest)
  const text = `${why}: ${JSON.stringify(outcome)}`
  const events = outcome.flatMap((one) => one.events)
  expect(events.length, text).toBeGreaterThan(0)
  for (const { owner, state } of events) expect([owner === contest.ben, state], text).toEqual([false, "applied"])
  expect(
    outcome.flatMap(({ granted }) => granted).filter((one) => one === contest.ben),
    text
  ).toEqual([])
}

/** `all`: before and after each statement instead of each ninth one. */
export const erasedContests = (all: boolean): void =>
  void describe.runIf(hasPostgres)("an event of two people, one of whom is erased", () => {
    const step = all ? 1 : 9
    let cells: PaymentCells
    beforeAll(async () => {
      cells = await openPaymentCells()
    })
    afterAll(() => cells.close())

    it("a copy that arrives between any two statements of the erasure changes nothing", async () => {
      for (const cell of [0, 1])
        for (let request = 0; ; request += step) {
          const contest = await appliedContest(cells, cell)
          const erasure = Effect.provideContext(erasing(contest), cells.tried as never)
          const { wasReached } = await between(cells.wire, request, erasure as never, () =>
            insist(cells.other, contest.paid)
          )
          await insist(cells.other, contest.paid)
          await expectNothingOfBen(cells, contest, `cell ${cell}, request ${request}`)
          if (!wasReached) break
        }
    }, 600_000)

    for (const after of ["the copy", "another event", "the repetition"] as const)
      it(`a server that ends with any statement of the erasure, and then ${after}: nothing is applied again`, async () => {
        for (const cell of [0, 1])
          for (const how of ENDS)
            for (let last = 0; ; last += step) {
              const contest = await appliedContest(cells, cell)
              const { wasReached } = await endingAt(cells, { how, last }, erasing(contest))
              if (after === "another event") await insist(cells.other, nextOf(contest))
              if (after === "the repetition") await run(cells.other, Effect.result(erasing(contest)))
              await insist(cells.other, contest.paid)
              await expectNothingOfBen(cells, contest, `cell ${cell}, ${how} of request ${last}`)
              if (!wasReached) break
            }
      }, 600_000)

    it("a server ends while it applies an event that waited, and its person is erased: the event stays applied", async () => {
      for (const cell of [0, 1])
        for (const how of ENDS)
          for (let last = 0; ; last += step) {
            const contest = contestIn(cell)
            const why = `cell ${cell}, ${how} of request ${last}`
            await insist(cells.other, contest.paid)
            const { wasReached } = await endingAt(cells, { how, last }, linking(contest))
            const state = async () => (await statesOf(cells.other, [contest.paid.id])).get(contest.paid.id)
            const before = await state()
            await run(cells.other, Effect.ignore(closing(contest)))
            await run(cells.other, erasing(contest))
            await catchUp(cells.other)
            await insist(cells.other, contest.paid)
            if (before === "applied") expect(await state(), why).toBe("applied")
            if (!wasReached) break
          }
    }, 600_000)

    it("a customer that was claimed and never linked: after any last statement of the erasure, events are taken", async () => {
      for (const cell of [0, 1])
        for (let last = 0; ; last += step) {
          const contest = await appliedContest(cells, cell)
          const customerId = `cus_${crypto.randomUUID()}`
          await run(cells.other, claiming(contest, `customer:${customerId}`))
          const { wasReached } = await endingAt(cells, { how: "cut before", last }, erasing(contest))
          const { state } = await insist(cells.other, nextOf({ ...contest, customerId }))
          expect(["applied", "ignored"], `cell ${cell}, request ${last}`).toContain(state)
          if (!wasReached) break
        }
    }, 600_000)

    it("many events of erased people arrive beside those of others: none waits for a connection that the others hold", async () => {
      const erased = Array.from({ length: 12 }, () => storyIn(1))
      for (const { events, userId: ann } of erased) {
        await insist(cells.other, events[0] as ReceivedPaymentEvent)
        await run(cells.other, closing({ ann }))
        await run(cells.other, erasing({ ann }))
      }
      const others = Array.from({ length: 16 }, () => storyIn(1))
      const events = [...erased, ...others].flatMap((story) => story.events)
      const taken = await Promise.all(events.map((event) => run(cells.other, Effect.result(deliver(event)))))
      expect(taken.filter(Result.isFailure)).toEqual([])
    }, 300_000)
  })
