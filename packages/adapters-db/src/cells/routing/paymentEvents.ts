import {
  type ConcludeInput,
  type EventOutcome,
  isDone,
  type KeptEvent,
  NO_PERSON,
  type PlainPayment,
  type Received,
  type ReceiveInput,
  StorageFailed,
  type StoredPaymentEvent
} from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { answersOf } from "../merging/overAll.ts"
import {
  customerOf,
  customerReference,
  ERASED_OWNER,
  eventReference,
  type ImportClaim
} from "../global/paymentDirectory.ts"
import { askGlobal, askIn, following } from "./askGlobal.ts"
import { inCellOf, inUnit, withUnit } from "./byOwner.ts"
import { CurrentUnit, type Unit } from "./CurrentUnit.ts"
import { type Call, callOf, type Method, type Place, type Routes, type Work } from "./Routes.ts"

const find = callOf("paymentEvents", "find")
const adopt = callOf("billing", "adopt")

const REASSIGNED: Received = { _tag: "Reassigned" }

const known = (outcome: EventOutcome): Received => ({ _tag: "Known", outcome })

/** Of several rows of one event, the one in the owner's cell counts most, and after it one of no owner that is done. */
const weightOf = ({ directory, only }: Routes, place: string, { state, userId }: StoredPaymentEvent): number => {
  if (userId === undefined) return Number(isDone(state))
  return (only?.name ?? directory.known(userId)) === place ? 2 : 0
}

/** Events by their ids. One that an owner's cell has just taken over may be in the global database as well. */
export const findEvents =
  (routes: Routes, call: Call): Method =>
  (...args) =>
    Effect.gen(function* () {
      const found = new Map<string, { readonly row: StoredPaymentEvent; readonly weight: number }>()
      const all = yield* routes.all
      for (const { place, result } of yield* answersOf(all, (each) => call.run(each, args)))
        for (const row of (yield* Effect.fromResult(result)) as ReadonlyArray<StoredPaymentEvent>) {
          const weight = weightOf(routes, place.name, row)
          if (weight >= (found.get(row.id)?.weight ?? 0)) found.set(row.id, { row, weight })
        }
      return [...found.values()].map(({ row }) => row)
    })

/** The outcome of an event that is done in a cell. */
const doneInCell = ({ all, global }: Routes, eventId: string) =>
  Effect.gen(function* () {
    const cells = (yield* all).filter((place) => place !== global)
    for (const { result } of yield* answersOf(cells, (place) => find.run(place, [[eventId]]))) {
      const [found] = (yield* Effect.fromResult(result)) as ReadonlyArray<StoredPaymentEvent>
      if (found !== undefined && isDone(found.state)) return { state: found.state, note: found.note }
    }
    return undefined
  })

/** A process that does not know of the other cells has linked a reference. */
const unlisted = () =>
  new StorageFailed({
    operation: "PaymentEventStore.receive",
    retryable: false,
    cause: new Error("A cell has linked a reference that the directory does not have: mend the directory.")
  })

/** Receives an event of no person, or of an erased one, in the global database. */
const receiveUnowned = (routes: Routes, call: Call, unit: Unit, input: ReceiveInput) =>
  Effect.gen(function* () {
    const { again, claimed, event, references } = input
    const { payments } = routes.shared
    const owner = yield* askGlobal(routes, "PaymentEventStore.receive", payments.hold(references, claimed))
    if ((owner ?? claimed ?? ERASED_OWNER) !== ERASED_OWNER) return REASSIGNED
    if (owner === ERASED_OWNER && !again) {
      // It may have been applied before its person was erased.
      const outcome = yield* doneInCell(routes, event.id)
      if (outcome !== undefined) return known(outcome)
    }
    const received = (yield* inUnit(unit, call.run(unit.place, [input]))) as Received
    if (received._tag === "Matched") return yield* Effect.fail(unlisted())
    if (received._tag !== "Erased") return received
    const payment = event.payment?.reference
    const erased = { userId: ERASED_OWNER, references: payment === undefined ? references : [...references, payment] }
    yield* askGlobal(routes, "PaymentEventStore.receive", payments.claim([erased]))
    return received
  })

const meanwhile = (change: string) =>
  new StorageFailed({ operation: "PaymentEventStore.receive", retryable: true, cause: new Error(change) })

const erasedMeanwhile = () => meanwhile("The person of the event was erased.")

const claimedMeanwhile = () => meanwhile("Another person has claimed a reference of the event.")

/** True if the cell does not have the claim of an import yet: the process of the import ended before the commit. */
const isUnfinished = (imported: ImportClaim | undefined, received: Received): imported is ImportClaim =>
  imported !== undefined && received._tag === "Matched" && received.account.importedAt === undefined

/** Receives an event in a cell. If an import has claimed its customer, the cell adopts the customer before. */
const receiveIn = (call: Call, { owner, place }: Unit, input: ReceiveInput, imported: ImportClaim | undefined) =>
  Effect.gen(function* () {
    const received = (yield* call.run(place, [input])) as Received
    if (!isUnfinished(imported, received)) return received
    const customer = { userId: owner, customerId: customerOf(imported.reference), importedAt: imported.at }
    yield* adopt.run(place, [[customer], { dryRun: false }])
    return (yield* call.run(place, [input])) as Received
  })

/** Receives an event in the cell of its person, in whose unit of work it is. */
const receiveOwned = (routes: Routes, call: Call, unit: Unit, input: ReceiveInput) =>
  Effect.gen(function* () {
    const { again, claimed, event, references } = input
    const { cell, payments } = routes.shared
    const { place } = unit
    const operation = "PaymentEventStore.receive"
    const taking = payments.take({ eventId: event.id, references, claimed }, unit.owner)
    const { copy, imported, others, owner } = yield* askGlobal(routes, operation, taking)
    if (owner !== unit.owner) return REASSIGNED
    if (place !== routes.global && copy !== undefined && isDone(copy.state) && !again) return known(copy)
    // The claims decide whose the event is: the cell may not have linked the references yet.
    const own = references.filter((reference) => !others.includes(reference))
    const asOwner = { ...input, references: own, claimed: unit.owner }
    const received = (yield* inUnit(unit, receiveIn(call, unit, asOwner, imported))) as Received
    if (received._tag === "Matched" && received.account.userId !== unit.owner) {
      const present = yield* askGlobal(routes, operation, taking)
      return yield* Effect.fail(present.others.length > others.length ? claimedMeanwhile() : unlisted())
    }
    if (received._tag !== "Erased") return received
    const names = yield* askIn(place.name, operation, cell(place.name).erased(references))
    yield* askGlobal(routes, operation, payments.erase(unit.owner, [...names, eventReference(event.id)]))
    if (place === routes.global) return received
    // The next try finds the erased person, and takes the event to the global database.
    return yield* Effect.fail(erasedMeanwhile())
  })

/** Takes an event in: in the cell of the person to whom its references belong, or in the global database. */
export const receiveEvent = (routes: Routes, call: Call): Method => {
  const receiveWithin = (unit: Unit, input: ReceiveInput) =>
    unit.owner === NO_PERSON ? receiveUnowned(routes, call, unit, input) : receiveOwned(routes, call, unit, input)
  const receive = (input: ReceiveInput): Work =>
    Effect.gen(function* () {
      const { claimed, event, references } = input
      const finding = routes.shared.payments.ownerOf([eventReference(event.id), ...references], claimed)
      const owner = (yield* askGlobal(routes, "PaymentEventStore.receive", finding)) ?? claimed ?? NO_PERSON
      const person = owner === ERASED_OWNER ? NO_PERSON : owner
      const received = (yield* withUnit(routes, person, (unit) => receiveWithin(unit, input))) as Received
      return received._tag === "Reassigned" ? yield* receive(input) : received
    })
  return (input) =>
    Effect.flatMap(CurrentUnit, (unit): Work =>
      unit === undefined ? receive(input as ReceiveInput) : receiveWithin(unit, input as ReceiveInput)
    )
}

/** Events that wait in the global database beside those of the owner's cell, oldest first. */
export const allWaiting = (
  unit: Unit,
  own: ReadonlyArray<StoredPaymentEvent>,
  shared: ReadonlyArray<StoredPaymentEvent>
): ReadonlyArray<StoredPaymentEvent> =>
  [...new Map([...shared, ...own].map((event) => [event.id, event])).values()]
    .filter(({ id }) => !unit.concluded.has(id))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

/** Claims the links of an event, and then writes its consequences in the owner's cell. */
export const concludeEvent =
  (routes: Routes, call: Call): Method =>
  (arg) => {
    const input = arg as ConcludeInput
    const { event, links: references, userId } = input
    const { payments } = routes.shared
    return withUnit(routes, userId, (unit) =>
      Effect.gen(function* () {
        const operation = "PaymentEventStore.conclude"
        const claiming = payments.claim([{ userId, references }], event.id)
        const { copied, granted, waiting } = yield* askGlobal(routes, operation, claiming)
        const own = (yield* call.run(unit.place, [{ ...input, links: granted }])) as ReadonlyArray<StoredPaymentEvent>
        unit.concluded.add(event.id)
        if (copied && unit.place !== routes.global)
          yield* following(routes, unit, askGlobal(routes, operation, payments.drop([event.id])))
        return allWaiting(unit, own, waiting)
      })
    )
  }

/** The same of an event that may share a transaction with others. Any failure leaves it to `receive`. */
export const applyEventAtOnce = (routes: Routes, call: Call): Method => {
  const { payments } = routes.shared
  const operation = "PaymentEventStore.applyAtOnce"
  const claimOf =
    (userId: string): NonNullable<PlainPayment["claim"]> =>
    (links) =>
      Effect.map(
        askGlobal(routes, operation, payments.claim([{ userId, references: links }])),
        ({ granted, waiting }) => (waiting.length === 0 ? granted : undefined)
      ) as Effect.Effect<ReadonlyArray<string> | undefined, StorageFailed>
  const apply = Effect.fnUntraced(function* (payment: PlainPayment) {
    const { claimed, event, references } = payment
    const taking = payments.take({ eventId: event.id, references, claimed })
    const { copy, imported, others, owner } = yield* askGlobal(routes, operation, taking)
    if (owner === undefined || owner === ERASED_OWNER) return undefined
    const own = references.filter((reference) => !others.includes(reference))
    const decide: PlainPayment["decide"] = (found) =>
      found.account.userId !== owner || isUnfinished(imported, found) ? undefined : payment.decide(found)
    const asOwner: PlainPayment = { ...payment, references: own, claimed: owner, claim: claimOf(owner), decide }
    let isCopied = copy !== undefined
    const use = (place: Place) => {
      isCopied &&= place !== routes.global
      return isCopied && copy !== undefined && isDone(copy.state) ? Effect.succeed(copy) : call.run(place, [asOwner])
    }
    const applied = yield* inCellOf(routes, { owner, use })
    if (applied !== undefined && applied !== copy && isCopied)
      yield* Effect.ignore(askGlobal(routes, operation, payments.drop([event.id])))
    return applied
  })
  return (payment) =>
    Effect.flatMap(CurrentUnit, (unit): Work =>
      unit === undefined
        ? Effect.map(Effect.result(apply(payment as PlainPayment)), (done) =>
            Result.isSuccess(done) ? done.success : undefined
          )
        : Effect.succeed(undefined)
    )
}

/** Stores an event of no known person. An erasure of its customer's person goes before it, or finds it. */
export const keepEvent =
  (routes: Routes, call: Call): Method =>
  (...args) => {
    const [{ customerId }] = args as readonly [KeptEvent]
    if (customerId === undefined) return call.run(routes.global, args)
    const { payments } = routes.shared
    return withUnit(routes, NO_PERSON, (unit) =>
      Effect.andThen(
        askGlobal(routes, "PaymentEventStore.keep", payments.lock(customerReference(customerId))),
        call.run(unit.place, args)
      )
    )
  }

/** Events that wait although their person is known: in the global database, and then in one cell after another. */
export const strandedEvents =
  (routes: Routes, inCells: Method): Method =>
  (limit) =>
    Effect.gen(function* () {
      const { payments } = routes.shared
      const shared = yield* askGlobal(routes, "BillingUpkeep.stranded", payments.stranded(Number(limit)))
      if (shared.length >= Number(limit)) return shared
      const own = (yield* inCells(Number(limit) - shared.length)) as ReadonlyArray<string>
      return [...new Set([...shared, ...own])]
    })

/** Removes old events everywhere, and the names for which none waits any more. */
export const forgetEvents =
  (routes: Routes, everywhere: Method): Method =>
  (input) =>
    Effect.tap(everywhere(input), () =>
      askGlobal(routes, "BillingUpkeep.forget", routes.shared.prune((input as { readonly limit: number }).limit))
    )
