import { Clock, Effect, type Layer } from "effect"
import { NO_PERSON } from "../../identity/UserId.ts"
import { allRows } from "../storage/allRows.ts"
import { type CreditPorts } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { expect, it } from "vitest"
import type { EventOutcome } from "../../billing/BillingAccount.ts"
import { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentEventStore, type KeptEvent } from "../../billing/inbox/PaymentEventStore.ts"
import { noFacts, type SubscriptionFacts } from "../../billing/SubscriptionFacts.ts"
import { BillingUpkeep } from "../../billing/upkeep/BillingUpkeep.ts"
import { grant } from "../../credits/rules/grantsAndCorrections.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { suiteOn } from "../suiteOn.ts"

const HOUR_MS = 3_600_000

/** Tests the guarantees of a `BillingUpkeep`. `layer` is built once, for all tests. */
export const billingUpkeepContract = (
  name: string,
  layer: Layer.Layer<BillingStore | PaymentEventStore | BillingUpkeep | CreditPorts | UnitOfWork, unknown>
): void =>
  suiteOn(`BillingUpkeep: ${name}`, layer, (run) => {
    const newId = (kind: string) => `${kind}_${crypto.randomUUID()}`
    const newEvent = (kind = "invoice.paid"): KeptEvent => ({
      id: newId("evt"),
      kind,
      createdAt: Date.UTC(2027, 0, 31, 10),
      customerId: newId("cus"),
      payload: '{"name":"Ann"}'
    })
    const inUnit = <A, E, R>(owner: string, work: Effect.Effect<A, E, R>) =>
      UnitOfWork.use((units) => units.run(owner, work))
    /** Stores an event of a person in a given state. */
    const concluded = (state: EventOutcome["state"], waitsFor: ReadonlyArray<string> = []) =>
      Effect.gen(function* () {
        const event = newEvent()
        const store = yield* PaymentEventStore
        const userId = newId("user")
        yield* inUnit(
          userId,
          Effect.gen(function* () {
            yield* store.receive({ event, references: [], claimed: userId, bought: {}, again: false })
            yield* store.conclude({
              event,
              userId,
              outcome: { state, note: "a note" },
              subscription: undefined,
              followed: undefined,
              invoiceReports: undefined,
              bought: undefined,
              links: [],
              waitsFor
            })
          })
        )
        return event
      })
    /** Stores an event of an unknown customer. */
    const unmatched = Effect.gen(function* () {
      const event = newEvent()
      const references = [`customer:${event.customerId}`]
      const store = yield* PaymentEventStore
      yield* inUnit(NO_PERSON, store.receive({ event, references, claimed: undefined, bought: {}, again: false }))
      return { event, references }
    })
    const ignored = Effect.gen(function* () {
      const event = newEvent("product.created")
      yield* PaymentEventStore.use((store) => store.keep(event, { state: "ignored", note: "a note" }))
      return event
    })
    const find = ({ id }: KeptEvent) =>
      PaymentEventStore.use((store) => Effect.map(store.find([id]), ([found]) => found))
    const forget = (doneInMs: number, unmatchedInMs: number, limit = 1_000) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const upkeep = yield* BillingUpkeep
        return yield* upkeep.forget({ doneBefore: now + doneInMs, unmatchedBefore: now + unmatchedInMs, limit })
      })

    it("removes the content of done events, and keeps that they are done", () =>
      run(
        Effect.gen(function* () {
          const [applied, done] = [yield* concluded("applied"), yield* concluded("ignored")]
          expect(yield* forget(-HOUR_MS, -HOUR_MS)).toEqual({ reduced: 0, deleted: 0 })
          expect(yield* find(applied)).toMatchObject({ payload: '{"name":"Ann"}' })
          expect(yield* forget(HOUR_MS, -HOUR_MS)).toEqual({ reduced: 2, deleted: 0 })
          expect(yield* find(applied)).toMatchObject({ state: "applied", note: "a note", kind: "invoice.paid" })
          for (const event of [applied, done]) expect(yield* find(event)).toMatchObject({ payload: undefined })
          expect(yield* forget(HOUR_MS, HOUR_MS)).toEqual({ reduced: 0, deleted: 0 })
          // Another copy of the event changes nothing, and restores nothing.
          const input = { event: applied, references: [], claimed: newId("user"), bought: {}, again: false }
          const copy = yield* inUnit(
            input.claimed,
            PaymentEventStore.use((store) => store.receive(input))
          )
          expect(copy).toEqual({ _tag: "Known", outcome: { state: "applied", note: "a note" } })
          expect(yield* find(applied)).toMatchObject({ payload: undefined })
        })
      ))

    it("deletes events that name no person, or wait for one that never came; a later link finds none of them", () =>
      run(
        Effect.gen(function* () {
          const { event, references } = yield* unmatched
          const never = yield* concluded("waiting", [`payment:${newId("pi")}`])
          const other = yield* ignored
          expect(yield* forget(HOUR_MS, -HOUR_MS)).toEqual({ reduced: 0, deleted: 0 })
          expect(yield* forget(-HOUR_MS, HOUR_MS)).toEqual({ reduced: 0, deleted: 3 })
          for (const gone of [event, never, other]) expect(yield* find(gone)).toBeUndefined()
          const customerId = event.customerId ?? ""
          const link = { userId: newId("user"), customerId, replaces: undefined }
          const linked = yield* inUnit(
            link.userId,
            BillingStore.use((store) => store.link(link))
          )
          expect(linked).toEqual({ customerId, waiting: [] })
          expect(yield* BillingStore.use((store) => store.ownerOf(references))).toEqual({ userId: link.userId })
        })
      ))

    it("leaves events that an operator has to see: refused, unreadable, or to be refunded", () =>
      run(
        Effect.gen(function* () {
          const kept = [yield* concluded("refused"), yield* concluded("unreadable"), yield* concluded("owed")]
          yield* forget(HOUR_MS, HOUR_MS)
          for (const event of kept) expect(yield* find(event)).toMatchObject({ payload: '{"name":"Ann"}' })
        })
      ))

    it("lists the events that still wait although their person is known by now, and no others", () =>
      run(
        Effect.gen(function* () {
          const [first, second, stays] = [yield* unmatched, yield* unmatched, yield* unmatched]
          const store = yield* BillingStore
          const events = yield* PaymentEventStore
          const stranded = (limit = 1_000) => BillingUpkeep.use((upkeep) => upkeep.stranded(limit))
          const ids = [first, second, stays].map(({ event }) => event.id)
          const own = Effect.map(stranded(), (found) => found.filter((id) => ids.includes(id)))
          expect(yield* own).toEqual([])
          const userId = newId("user")
          for (const { event, references } of [first, second]) {
            const link = { userId, customerId: event.customerId ?? "", replaces: first.event.customerId }
            yield* inUnit(userId, store.link(link))
            expect(yield* store.ownerOf(references)).toEqual({ userId })
          }
          expect(new Set(yield* own)).toEqual(new Set(ids.slice(0, 2)))
          expect(yield* stranded(1)).toHaveLength(1)
          const { event, references } = first
          const outcome = { state: "applied", note: "a note" } as const
          yield* inUnit(
            userId,
            Effect.gen(function* () {
              yield* events.receive({ event, references, claimed: undefined, bought: {}, again: true })
              const nothing = {
                subscription: undefined,
                followed: undefined,
                invoiceReports: undefined,
                bought: undefined
              }
              yield* events.conclude({ event, userId, outcome, ...nothing, links: [], waitsFor: [] })
            })
          )
          expect(yield* own).toEqual([second.event.id])
        })
      ))

    it("keeps an event that waits for the same customer as one that is deleted", () =>
      run(
        Effect.gen(function* () {
          const { event, references } = yield* unmatched
          yield* forget(-HOUR_MS, HOUR_MS)
          const store = yield* BillingStore
          const events = yield* PaymentEventStore
          const later = newEvent()
          yield* inUnit(
            NO_PERSON,
            events.receive({ event: later, references, claimed: undefined, bought: {}, again: false })
          )
          const customerId = event.customerId ?? ""
          const link = { userId: newId("user"), customerId, replaces: undefined }
          const { waiting } = yield* inUnit(link.userId, store.link(link))
          expect(waiting.map(({ id }) => id)).toEqual([later.id])
        })
      ))

    it("names people who pay for several subscriptions that go on, page by page", () =>
      run(
        Effect.gen(function* () {
          const people = ["a", "b", "c", "d"].map((one) => `zz_${one}_${crypto.randomUUID()}`)
          const paid = { start: 1, end: 2, priceId: "price_1", isFirst: true, payment: undefined }
          const subscribed = (userId: string, id: string, facts: Partial<SubscriptionFacts>) =>
            Effect.gen(function* () {
              const event = newEvent()
              const store = yield* PaymentEventStore
              yield* inUnit(
                userId,
                Effect.andThen(
                  store.receive({ event, references: [], claimed: userId, bought: {}, again: false }),
                  store.conclude({
                    event,
                    userId,
                    outcome: { state: "applied", note: "" },
                    subscription: { ...noFacts(id), ...facts },
                    followed: undefined,
                    invoiceReports: undefined,
                    bought: undefined,
                    links: [],
                    waitsFor: []
                  })
                )
              )
            })
          const [two, ended, unpaid, checkout] = people as [string, string, string, string]
          for (const id of ["sub_2", "sub_1"]) yield* subscribed(two, id, { paid })
          yield* subscribed(ended, "sub_1", { paid })
          yield* subscribed(ended, "sub_2", { paid, endedAt: 3 })
          yield* subscribed(unpaid, "sub_1", { paid })
          yield* subscribed(unpaid, "sub_2", {})
          yield* subscribed(checkout, "sub_1", { paid })
          yield* subscribed(checkout, "sub_2", { checkout: { at: 1, priceId: "price_1" } })
          const several = (limit: number) =>
            Effect.map(
              BillingUpkeep.use((upkeep) => allRows((after) => upkeep.several({ after, limit }))),
              (all) => all.filter(({ userId }) => people.includes(userId))
            )
          const both = [two, checkout].map((userId) => ({ userId, subscriptions: ["sub_1", "sub_2"] }))
          expect(yield* several(1_000)).toEqual(both)
          expect(yield* several(1)).toEqual(both)
        })
      ))

    it("does no more than is asked for at once", () =>
      run(
        Effect.gen(function* () {
          yield* forget(HOUR_MS, HOUR_MS)
          for (let count = 0; count < 3; count += 1) {
            yield* concluded("applied")
            yield* unmatched
          }
          expect(yield* forget(HOUR_MS, HOUR_MS, 2)).toEqual({ reduced: 2, deleted: 2 })
          expect(yield* forget(HOUR_MS, HOUR_MS, 2)).toEqual({ reduced: 1, deleted: 1 })
        })
      ))

    it("lists all people with stored payments, page by page, and finds nothing altered", () =>
      run(
        Effect.gen(function* () {
          const [first, second] = [newId("a"), newId("b")]
          const link = (userId: string) =>
            BillingStore.use((store) => store.link({ userId, customerId: newId("cus"), replaces: undefined }))
          for (const userId of [second, first]) yield* inUnit(userId, link(userId))
          const upkeep = yield* BillingUpkeep
          for (const limit of [1, 1_000]) {
            const all = yield* allRows((after) => upkeep.people({ after, limit }))
            const both = all.filter(({ userId }) => userId === first || userId === second)
            expect(both).toEqual([first, second].map((userId) => ({ userId, altered: [] })))
          }
        })
      ))

    it("returns the credits granted for checkout sessions, page by page and since a time", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("credited")
          const ledger = yield* testedLedger
          yield* ledger.run(openAccount({ userId, tier: "free", allowance: 5 }))
          const [one, two] = [newId("cs"), newId("cs")]
          const give = (key: string, amount: number) => ledger.run(grant({ userId, key, type: "topup", amount }))
          yield* give(`topup:${one}`, 700)
          yield* give(`order:${newId("own")}`, 9)
          yield* give(`topup:${two}`, 800)
          const upkeep = yield* BillingUpkeep
          for (const limit of [1, 1_000]) {
            const all = yield* allRows((after) => upkeep.credited({ since: 0, after, limit }))
            expect(all.filter((row) => row.userId === userId)).toMatchObject([
              { sessionId: one, amount: 700 },
              { sessionId: two, amount: 800 }
            ])
          }
          const now = yield* Clock.currentTimeMillis
          expect((yield* upkeep.credited({ since: now + HOUR_MS, after: undefined, limit: 100 })).rows).toEqual([])
        })
      ))
  })
