import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { type Cursor, cursorOfText, type Page } from "../../storage/Cursor.ts"
import type { StoredPaymentEvent } from "../../billing/BillingAccount.ts"
import type { BoughtCredits } from "../../billing/BillingAccount.ts"
import { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentEventStore, type KeptEvent } from "../../billing/inbox/PaymentEventStore.ts"
import type { FollowedPeriod } from "../../billing/FollowedPeriod.ts"
import { noFacts } from "../../billing/SubscriptionFacts.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { PersonalData } from "../../users/PersonalData.ts"
import { suiteOn } from "../suiteOn.ts"
import { accountOf, AT, conclude, eventOf, find, newId, receive } from "./billingStoreFixtures.ts"
import { owedPayments } from "./owedPayments.ts"

/** Tests the guarantees of a `BillingStore`. `layer` is built once, for all tests. */
export const billingStoreContract = (
  name: string,
  layer: Layer.Layer<BillingStore | PaymentEventStore | PersonalData | UnitOfWork, unknown>
): void =>
  suiteOn(`BillingStore: ${name}`, layer, (run) => {
    owedPayments(run)

    it("adopts the customers of imported people, once, and leaves those of others as they were", () =>
      run(
        Effect.gen(function* () {
          const store = yield* BillingStore
          const [ann, ben, cleo] = [newId("user"), newId("user"), newId("user")]
          const [ofAnn, ofBen, other] = [newId("cus"), newId("cus"), newId("cus")]
          const waiting = eventOf()
          expect(yield* receive(waiting, { references: [`customer:${ofAnn}`] })).toEqual({ _tag: "Unmatched" })
          yield* store.link({ userId: cleo, customerId: other, replaces: undefined })
          const people = [
            { userId: ann, customerId: ofAnn, importedAt: AT },
            { userId: ben, customerId: other, importedAt: AT },
            { userId: cleo, customerId: ofBen, importedAt: AT }
          ]
          const refused = new Map([
            [ben, undefined],
            [cleo, other]
          ])
          expect(yield* store.adopt(people, { dryRun: true })).toEqual({ refused, waiting: [] })
          expect(yield* store.ownerOf([`customer:${ofAnn}`])).toBeUndefined()
          expect(yield* store.adopt(people, { dryRun: false })).toEqual({ refused, waiting: [waiting.id] })
          const later = people.map((one) => ({ ...one, importedAt: AT + 1_000 }))
          expect(yield* store.adopt(later, { dryRun: false })).toEqual({ refused, waiting: [] })
          expect(yield* accountOf(ann)).toMatchObject({ customerId: ofAnn, importedAt: AT })
          expect(yield* accountOf(cleo)).toMatchObject({ customerId: other })
          expect((yield* accountOf(cleo)).importedAt).toBeUndefined()
          expect(yield* accountOf(ben)).toMatchObject({ customerId: undefined })
          // Events find the person, together with the time of the imported balance.
          const found = yield* receive(eventOf(), { references: [`customer:${ofAnn}`] })
          expect(found).toMatchObject({ _tag: "Matched", account: { userId: ann, importedAt: AT } })
          expect(yield* store.adopt([], { dryRun: false })).toEqual({ refused: new Map(), waiting: [] })
        })
      ))

    it("gives a customer to one person only if two imports adopt it at once", () =>
      run(
        Effect.gen(function* () {
          const store = yield* BillingStore
          for (let round = 0; round < 10; round += 1) {
            const customerId = newId("cus")
            const people = [newId("user"), newId("user"), newId("user")]
            const answers = yield* Effect.forEach(
              people,
              (userId) =>
                store
                  .adopt([{ userId, customerId, importedAt: AT }], { dryRun: false })
                  .pipe(Effect.retry({ times: 5 })),
              { concurrency: "unbounded" }
            )
            const owners = people.filter((_, place) => answers[place]?.refused.size === 0)
            expect(owners).toHaveLength(1)
            expect(yield* store.ownerOf([`customer:${customerId}`])).toEqual({ userId: owners[0] })
            for (const userId of people) {
              const own = userId === owners[0] ? customerId : undefined
              expect((yield* accountOf(userId)).customerId).toBe(own)
            }
          }
        })
      ))

    it("keeps what follows from an event, once: another copy finds it known", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const event = eventOf()
          expect(yield* receive(event, { claimed: userId })).toMatchObject({
            _tag: "Matched",
            account: { userId, customerId: undefined, subscriptions: [], followed: undefined },
            bought: undefined
          })
          expect(yield* accountOf(userId)).toMatchObject({ invoiceReports: [] })
          const subscription = { ...noFacts(newId("sub")), startedAt: AT, paid: undefined }
          const customer = newId("cus")
          const bought: BoughtCredits = {
            sessionId: newId("cs"),
            paymentId: newId("pi"),
            priceId: "price_1",
            granted: 700,
            paid: 990,
            currency: "usd",
            boughtAt: AT
          }
          const rest = { subscriptionId: "sub_2", periodKey: "first:sub_2", left: 4, given: 9 }
          const followed = {
            subscriptionId: "sub_1",
            periodKey: "first:sub_1",
            periodStart: AT,
            setAside: [rest],
            taken: { allowance: 300, beyond: 200 },
            beyond: [{ periodKey: "first:sub_3", credits: 7 }]
          }
          const refunded = { part: 950, whole: 1_900, currency: "usd", isWon: false, reportedAt: AT }
          const invoiceReports = [{ invoiceId: newId("in"), source: "refund ch_1", ...refunded }]
          yield* conclude(event, userId, {
            subscription,
            bought,
            followed,
            invoiceReports,
            links: [`customer:${customer}`, `payment:${bought.paymentId}`]
          })
          expect(yield* receive(event, { claimed: userId })).toEqual({
            _tag: "Known",
            outcome: { state: "applied", note: "done" }
          })
          expect(yield* receive(event, { claimed: userId, again: true })).toMatchObject({ _tag: "Matched" })
          const account = yield* accountOf(userId)
          expect(account).toMatchObject({ userId, customerId: customer, followed, invoiceReports })
          expect(account.subscriptions).toMatchObject([{ id: subscription.id, startedAt: AT, seen: [] }])
          expect(yield* BillingStore.use((store) => store.bought(userId))).toEqual([bought])
          expect(yield* find(event.id)).toMatchObject([{ ...event, userId, state: "applied", note: "done" }])
          // Another event finds the person by each of the references, and the purchase by each of its ids.
          const byPayment = {
            references: [`payment:${bought.paymentId}`],
            bought: { paymentId: bought.paymentId ?? "" }
          }
          expect(yield* receive(eventOf(), byPayment)).toMatchObject({ _tag: "Matched", account: { userId }, bought })
          const bySession = { references: [`customer:${customer}`], bought: { sessionId: bought.sessionId } }
          expect(yield* receive(eventOf(), bySession)).toMatchObject({ _tag: "Matched", account: { userId }, bought })
          // A linked reference takes precedence over the id in an event.
          expect(yield* receive(eventOf(), { ...bySession, claimed: newId("user") })).toMatchObject({
            account: { userId }
          })
        })
      ))

    it("concludes an event once, unless it is applied again", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const event = eventOf()
          yield* receive(event, { claimed: userId })
          const waits = { outcome: { state: "refused", note: "not yet" } } as const
          yield* conclude(event, userId, waits)
          yield* conclude(event, userId)
          const other = { outcome: { state: "ignored", note: "second" } } as const
          expect(yield* Effect.flip(conclude(event, userId, other))).toMatchObject({
            _tag: "StorageFailed",
            retryable: true
          })
          expect(yield* find(event.id)).toMatchObject([{ state: "applied", note: "done" }])
          yield* conclude(event, userId, { ...other, again: true })
          expect(yield* find(event.id)).toMatchObject([{ state: "ignored", note: "second" }])
        })
      ))

    it("keeps events without a linked person, and returns them when a person is linked, oldest first", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const [customer, payment] = [`customer:${newId("cus")}`, `payment:${newId("pi")}`]
          const [later, earlier, other] = [eventOf({ createdAt: AT + 1_000 }), eventOf(), eventOf()]
          for (const event of [later, earlier]) {
            expect(yield* receive(event, { references: [customer, payment] })).toEqual({ _tag: "Unmatched" })
            expect(yield* receive(event, { references: [customer, payment] })).toEqual({ _tag: "Unmatched" })
          }
          yield* receive(other, { references: [`customer:${newId("cus")}`] })
          const event = eventOf()
          yield* receive(event, { claimed: userId })
          const waiting = yield* conclude(event, userId, { links: [customer] })
          expect(waiting.map(({ id }) => id)).toEqual([earlier.id, later.id])
          expect(waiting[0]).toMatchObject({ payload: earlier.payload, state: "waiting", createdAt: AT })
          // Concluded events no longer wait, even for their other reference.
          yield* receive(later, { references: [customer, payment] })
          yield* conclude(later, userId)
          yield* receive(earlier, { references: [customer, payment] })
          yield* conclude(earlier, userId, { outcome: { state: "waiting", note: "" }, waitsFor: [payment] })
          const next = eventOf()
          yield* receive(next, { claimed: userId })
          expect((yield* conclude(next, userId, { links: [customer, payment] })).map(({ id }) => id)).toEqual([
            earlier.id
          ])
        })
      ))

    it("links a customer to a person once, and replaces it only if the replaced one is named", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const [first, second, third] = [newId("cus"), newId("cus"), newId("cus")]
          const waits = eventOf()
          yield* receive(waits, { references: [`customer:${first}`] })
          const link = (customerId: string, replaces?: string) =>
            BillingStore.use((store) => store.link({ userId, customerId, replaces }))
          const linked = yield* link(first)
          expect(linked.customerId).toBe(first)
          expect(linked.waiting.map(({ id }) => id)).toEqual([waits.id])
          expect(yield* link(second)).toEqual({ customerId: first, waiting: [] })
          expect(yield* link(third, second)).toEqual({ customerId: first, waiting: [] })
          expect(yield* link(third, first)).toMatchObject({ customerId: third })
          expect((yield* accountOf(userId)).customerId).toBe(third)
        })
      ))

    it("keeps events that are about no person, with their first outcome", () =>
      run(
        Effect.gen(function* () {
          const event = eventOf()
          const ignored = { state: "ignored", note: "nothing depends on it" } as const
          const keep = (outcome: { readonly state: "ignored" | "unreadable"; readonly note: string }) =>
            PaymentEventStore.use((store) => store.keep(event, outcome))
          expect(yield* keep({ state: "unreadable", note: "no lines" })).toMatchObject({ state: "unreadable" })
          expect(yield* keep(ignored)).toEqual(ignored)
          expect(yield* keep({ state: "unreadable", note: "no lines" })).toEqual(ignored)
          expect(yield* find(event.id)).toMatchObject([{ ...event, ...ignored, userId: undefined }])
        })
      ))

    it("lists events by state and person, page by page, the last one first", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const events = [eventOf(), eventOf(), eventOf()]
          for (const [index, event] of events.entries()) {
            yield* receive(event, { claimed: userId })
            const state = index === 1 ? "refused" : "applied"
            yield* conclude(event, userId, { outcome: { state, note: "" } })
          }
          const list = (input: {
            readonly state?: "refused" | "applied"
            readonly after?: Cursor
            readonly limit?: number
          }) =>
            PaymentEventStore.use((store) =>
              store.list({ state: undefined, after: undefined, limit: 10, userId, ...input })
            )
          const idsOf = ({ rows }: Page<StoredPaymentEvent>) => rows.map(({ id }) => id)
          const all = idsOf(yield* list({}))
          expect(all.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
          const first = yield* list({ limit: 1 })
          expect(idsOf(first)).toEqual(all.slice(0, 1))
          const rest = yield* list({ after: first.next! })
          expect(idsOf(rest)).toEqual(all.slice(1))
          expect(rest.next).toBeUndefined()
          expect(idsOf(yield* list({ state: "refused" }))).toEqual([events[1]?.id])
          expect(yield* Effect.flip(list({ after: cursorOfText("evt_1") }))).toMatchObject({ _tag: "InvalidInput" })
          expect(yield* PaymentEventStore.use((store) => store.find([]))).toEqual([])
        })
      ))

    it("returns the person whom the first linked reference names", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const [event, customer] = [eventOf(), newId("cus")]
          yield* receive(event, { claimed: userId })
          yield* conclude(event, userId, { links: [`customer:${customer}`] })
          const ownerOf = (...references: ReadonlyArray<string>) =>
            BillingStore.use((store) => store.ownerOf(references))
          expect(yield* ownerOf(`customer:${newId("cus")}`)).toBeUndefined()
          expect(yield* ownerOf("customer:unknown", `customer:${customer}`)).toEqual({ userId })
        })
      ))

    it("forgets all in a unit of work that fails", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const [event, waits] = [eventOf(), eventOf()]
          const customer = newId("cus")
          const work = Effect.gen(function* () {
            yield* receive(waits, { references: [`customer:${customer}`] })
            yield* receive(event, { claimed: userId })
            yield* conclude(event, userId, { subscription: noFacts("sub"), links: [`customer:${customer}`] })
            return yield* Effect.fail("no" as const)
          })
          const { run: inUnit } = yield* UnitOfWork
          expect(yield* Effect.flip(inUnit(userId, work))).toBe("no")
          expect(yield* find(event.id)).toEqual([])
          expect(yield* find(waits.id)).toEqual([])
          expect(yield* accountOf(userId)).toMatchObject({ customerId: undefined, subscriptions: [] })
        })
      ))

    it("keeps a pinned tier, and the plan followed then, until an operator unpins it or the person is erased", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const pin = (pinned?: boolean, followed?: FollowedPeriod) =>
            UnitOfWork.use((unit) =>
              unit.run(
                userId,
                BillingStore.use((store) => store.pin({ userId, pinned, followed }))
              )
            )
          const followed = { periodStart: AT, setAside: [] }
          expect(yield* pin()).toMatchObject({ userId, pinned: false, followed: undefined })
          expect(yield* pin(true)).toMatchObject({ pinned: true, followed: undefined, subscriptions: [] })
          expect(yield* pin(undefined, followed)).toMatchObject({ pinned: true, followed })
          const event = eventOf()
          expect(yield* receive(event, { claimed: userId })).toMatchObject({ account: { pinned: true, followed } })
          yield* conclude(event, userId, { subscription: noFacts(newId("sub")) })
          expect(yield* accountOf(userId)).toMatchObject({ pinned: true, followed, subscriptions: [{}] })
          expect(yield* pin(false)).toMatchObject({ pinned: false, followed, subscriptions: [{}] })
          yield* pin(true)
          yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
          expect(yield* accountOf(userId)).toMatchObject({ pinned: false, followed: undefined })
        })
      ))

    it("events for an erased person belong to no person", () =>
      run(
        Effect.gen(function* () {
          const userId = newId("user")
          const event = eventOf()
          const customerId = newId("cus")
          const links = [`customer:${customerId}`]
          const ignored = { state: "ignored", note: "nothing depends on it" } as const
          const keep = (one: KeptEvent) => PaymentEventStore.use((store) => store.keep(one, ignored))
          yield* receive(event, { claimed: userId })
          yield* conclude(event, userId, { subscription: noFacts("sub"), links })
          const [theirs, afterwards, anothers] = [customerId, customerId, newId("cus")].map((id) =>
            eventOf({ kind: "customer.updated", customerId: id })
          ) as [KeptEvent, KeptEvent, KeptEvent]
          yield* keep(theirs)
          yield* keep(anothers)
          yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
          expect(yield* accountOf(userId)).toMatchObject({ customerId: undefined, subscriptions: [] })
          expect(yield* find(event.id)).toMatchObject([{ userId: undefined, payload: undefined, state: "applied" }])
          const late = eventOf()
          expect(yield* receive(late, { claimed: userId, references: links })).toMatchObject({ _tag: "Erased" })
          expect(yield* find(late.id)).toMatchObject([{ state: "ignored", userId: undefined }])
          expect((yield* find(late.id))[0]?.payload).toBe(undefined)
          // The id of the erased person identifies no person either, with or without a reference.
          expect(yield* receive(eventOf(), { claimed: userId })).toMatchObject({ _tag: "Erased" })
          // A related event also belongs to the erased person, and so do all events that waited for its references.
          const references = [`customer:${newId("cus")}`, `subscription:${newId("sub")}`]
          const waits = eventOf()
          expect(yield* receive(waits, { references: references.slice(0, 1) })).toEqual({ _tag: "Unmatched" })
          const found = yield* receive(eventOf(), { claimed: userId, references })
          expect(found).toMatchObject({ _tag: "Erased", waiting: [{ id: waits.id, payload: waits.payload }] })
          for (const one of references) {
            expect(yield* receive(eventOf(), { references: [one] })).toEqual({ _tag: "Erased", waiting: [] })
          }
          // Events without an owner are also deleted if they name the person's customer.
          yield* keep(afterwards)
          for (const one of [theirs, afterwards]) {
            expect(yield* find(one.id)).toMatchObject([{ ...ignored, payload: undefined }])
          }
          expect(yield* find(anothers.id)).toMatchObject([{ payload: anothers.payload }])
          // A person who returns gets another customer; payments of the old customer belong to the erased person.
          const link = (person: string, one: string) =>
            BillingStore.use((store) => store.link({ userId: person, customerId: one, replaces: undefined }))
          expect(yield* link(userId, customerId)).toEqual({ customerId: undefined, waiting: [] })
          expect(yield* accountOf(userId)).toMatchObject({ customerId: undefined })
          const another = newId("cus")
          expect(yield* link(userId, another)).toMatchObject({ customerId: another })
          const ofAnother = { claimed: userId, references: [`customer:${another}`] }
          expect(yield* receive(eventOf(), ofAnother)).toMatchObject({ _tag: "Matched", account: { userId } })
          expect(yield* link(newId("user"), another)).toEqual({ customerId: undefined, waiting: [] })
        })
      ))
  })
