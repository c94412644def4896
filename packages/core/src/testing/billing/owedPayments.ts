import { Effect } from "effect"
import { expect, it } from "vitest"
import { PaymentEventStore } from "../../billing/inbox/PaymentEventStore.ts"
import { PersonalData } from "../../users/PersonalData.ts"
import type { Run } from "../suiteOn.ts"
import { AT, conclude, eventOf, find, newId, receive } from "./billingStoreFixtures.ts"

/** Tests the guarantees of a store for payments without credits. */
export const owedPayments = (run: Run<PaymentEventStore | PersonalData>): void => {
  it("a payment is owed while no report says that it was returned, in any order of the reports", () =>
    run(
      Effect.gen(function* () {
        const userId = newId("user")
        const owed = { state: "owed", note: "to be refunded" } as const
        const done = { state: "applied", note: "it is refunded" } as const
        const conclusion = (reference: string, outcome: typeof owed | typeof done, returned?: boolean, at = 0) =>
          Effect.gen(function* () {
            const report = returned === undefined ? undefined : { source: `refund ${at % 2}`, isReturned: returned }
            const event = eventOf({ payment: { reference, report }, createdAt: AT + at * 1_000 })
            yield* receive({ ...event, payment: undefined }, { claimed: userId })
            yield* conclude(event, userId, { outcome })
            return event.id
          })
        const stateOf = (id: string) => Effect.map(find(id), ([one]) => [one?.state, one?.payment])
        const [first, second] = [`invoice:${newId("in")}`, `payment:${newId("pi")}`]
        const paid = yield* conclusion(first, owed)
        expect(yield* stateOf(paid)).toEqual(["owed", first])
        const other = yield* conclusion(`invoice:${newId("in")}`, owed)
        const listed = PaymentEventStore.use((store) =>
          store.list({ state: "owed", userId, limit: 10, after: undefined })
        )
        expect((yield* listed).rows.map(({ id }) => id).toSorted()).toEqual([paid, other].toSorted())
        yield* conclusion(first, done, true, 4)
        expect(yield* stateOf(paid)).toEqual(["ignored", first])
        yield* conclusion(first, done, false, 2)
        expect(yield* stateOf(paid)).toEqual(["ignored", first])
        yield* conclusion(first, done, false, 6)
        expect(yield* find(paid)).toMatchObject([
          { state: "owed", note: "to be refunded: what was given back has come back" }
        ])
        yield* conclusion(first, done, true, 1)
        expect(yield* stateOf(paid)).toEqual(["ignored", first])
        yield* conclusion(first, done, false, 8)
        expect(yield* stateOf(paid)).toEqual(["ignored", first])
        yield* conclusion(second, done, true)
        expect(yield* stateOf(yield* conclusion(second, owed))).toEqual(["ignored", second])
        expect((yield* listed).rows.map(({ id }) => id)).toEqual([other])
        // Another copy of an owed payment's event finds it done.
        const copy = eventOf({ id: other })
        expect(yield* receive(copy, { claimed: userId })).toEqual({ _tag: "Known", outcome: owed })
        // The same applies to events that arrive after the person was erased.
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
        expect(yield* stateOf(other)).toMatchObject(["owed", expect.any(String)])
        const reference = `payment:${newId("pi")}`
        const late = eventOf({ payment: { reference } })
        expect(yield* receive(late, { claimed: userId, ifErased: owed })).toMatchObject({ _tag: "Erased" })
        expect(yield* find(late.id)).toMatchObject([{ ...owed, userId: undefined, payload: undefined }])
        const report = { source: "dispute 1", isReturned: true }
        const dispute = eventOf({ payment: { reference, report } })
        expect(yield* receive(dispute, { references: [reference] })).toMatchObject({ _tag: "Erased" })
        expect(yield* stateOf(late.id)).toEqual(["ignored", reference])
        // The first event about a payment may be a report of its refund.
        const unseen = `payment:${newId("pi")}`
        const early = eventOf({ payment: { reference: unseen, report } })
        expect(yield* receive(early, { claimed: userId, references: [unseen] })).toMatchObject({ _tag: "Erased" })
        expect(yield* receive(eventOf(), { references: [unseen] })).toMatchObject({ _tag: "Erased" })
      })
    ))
}
