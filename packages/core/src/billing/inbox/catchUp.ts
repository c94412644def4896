import { Effect, Random, Stream } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { EventOutcome } from "../BillingAccount.ts"
import type { PaymentFailed } from "../errors.ts"
import type { ReceivedPaymentEvent } from "../provider/PaymentEvent.ts"
import { isDone, type PaymentEventStore } from "./PaymentEventStore.ts"
import type { PaymentReports } from "../provider/PaymentReports.ts"

/** A payment event and its outcome in this call. */
export interface HandledEvent extends EventOutcome {
  readonly id: string
  readonly kind: string
}

export interface CatchUpInput {
  /** Unix milliseconds: events since this time are listed. */
  readonly since: number
  /** Reports the missing events without applying them. */
  readonly dryRun: boolean
  /** Called for each missing event. */
  readonly onEvent?: (event: HandledEvent) => Effect.Effect<void>
}

/** The result of catching up. */
export interface CatchUpReport {
  /** The number of events that the provider listed. */
  readonly listed: number
  /** The number of listed events that were not stored as done. */
  readonly missing: number
  /** The number of missing events in each state after they were handled; all zero in a dry run. */
  readonly states: Readonly<Record<EventOutcome["state"], number>>
  /** The number of events that could not be stored; each is logged, and the other events are handled. */
  readonly failed: number
}

/** The number of events whose state is read together. */
const EVENTS_AT_ONCE = 1_000
/**
 * The number of people whose events are applied together at the same time; `ALONE_AT_ONCE` for events that are applied
 * alone.
 */
const PEOPLE_AT_ONCE = 64
const ALONE_AT_ONCE = 8

/** An event that was handled together with others; or the rest of the work for an event that must be handled alone. */
export type BegunEvent =
  | { readonly _tag: "Handled"; readonly event: HandledEvent }
  | { readonly _tag: "Alone"; readonly finish: Effect.Effect<HandledEvent, PaymentFailed | StorageFailed> }

export interface CatchUpParts {
  readonly reports: PaymentReports["Service"]
  readonly events: PaymentEventStore["Service"]
  readonly begin: (event: ReceivedPaymentEvent) => Effect.Effect<BegunEvent, PaymentFailed | StorageFailed>
}

type Events = ReadonlyArray<ReceivedPaymentEvent>

/** A person with an event that must be applied alone: that event, and the person's later events. */
interface LeftPerson {
  readonly event: ReceivedPaymentEvent
  readonly finish: Effect.Effect<HandledEvent, PaymentFailed | StorageFailed>
  readonly rest: Events
}

/** Groups events by customer, oldest first, so that most events find the facts on which they depend. */
const byCustomer = (events: Events): Array<Events> =>
  Object.values(Object.groupBy(events, ({ customerId, id }) => customerId ?? id)).map((own = []) =>
    own.toSorted((a, b) => a.createdAt - b.createdAt)
  )

/** The counters of one run over the provider's events. */
const makeCounts = (onEvent: (event: HandledEvent) => Effect.Effect<void>) => {
  const states = { applied: 0, ignored: 0, owed: 0, waiting: 0, refused: 0, unreadable: 0 }
  const counts = { listed: 0, missing: 0, failed: 0 }
  const handled = (made: HandledEvent) =>
    Effect.suspend(() => {
      states[made.state] += 1
      return onEvent(made)
    })
  /** Counts and logs an event that the storage refuses for good, so that the other events are still handled. */
  const unlessNeverStored = <A>(
    { id, kind }: ReceivedPaymentEvent,
    work: Effect.Effect<A, PaymentFailed | StorageFailed>
  ) =>
    Effect.catchIf(
      work,
      (error) => error._tag === "StorageFailed" && !error.retryable,
      () => {
        counts.failed += 1
        const failed = Effect.logError("An event of the payment provider could not be stored.")
        return Effect.as(Effect.annotateLogs(failed, { event: id, kind }), undefined)
      }
    )
  return { counts, states, handled, unlessNeverStored }
}

type Counts = ReturnType<typeof makeCounts>

/** Applies a person's events together with events of other people, up to the first event that must be applied alone. */
const applyTogether = Effect.fnUntraced(function* (
  own: Events,
  begin: CatchUpParts["begin"],
  { handled, unlessNeverStored }: Counts
): Effect.fn.Return<LeftPerson | undefined, PaymentFailed | StorageFailed> {
  for (const [place, event] of own.entries()) {
    const begun = yield* unlessNeverStored(event, begin(event))
    if (begun?._tag === "Handled") yield* handled(begun.event)
    if (begun?._tag === "Alone") return { event, finish: begun.finish, rest: own.slice(place + 1) }
  }
  return undefined
})

/**
 * Applies the listed events that are missing or waiting. Events of different people are applied together. An event that
 * cannot be, such as the first event of a new person, is applied alone; the person's later events are again applied
 * together. Processes that catch up at the same time share the work: each takes the people in a random order, skips
 * people whose events another process is applying, and at the end applies the events that are still missing.
 */
export const makeCatchUp = ({ begin, events: stored, reports }: CatchUpParts) => {
  const doneOf = (events: Events) =>
    Effect.map(
      stored.find(events.map(({ id }) => id)),
      (found) => new Set(found.filter(({ state }) => isDone(state)).map(({ id }) => id))
    )

  const applyAll = Effect.fnUntraced(function* (missing: Events, counts: Counts) {
    const { handled, unlessNeverStored } = counts
    let people = yield* Random.shuffle(byCustomer(missing))
    while (people.length > 0) {
      const together = (own: Events) => applyTogether(own, begin, counts)
      const found = yield* Effect.forEach(people, together, { concurrency: PEOPLE_AT_ONCE })
      const left = found.flatMap((one) => one ?? [])
      const done = yield* doneOf(left.map(({ event }) => event))
      yield* Effect.forEach(
        left.filter(({ event }) => !done.has(event.id)),
        ({ event, finish }) => unlessNeverStored(event, Effect.flatMap(finish, handled)),
        { concurrency: ALONE_AT_ONCE, discard: true }
      )
      people = left.flatMap(({ rest }) => (rest.length === 0 ? [] : [rest]))
    }
  })

  return Effect.fn("PaymentInbox.catchUp")(function* ({ dryRun, onEvent = () => Effect.void, since }: CatchUpInput) {
    const run = makeCounts(onEvent)
    const { counts, states } = run
    const handleAll = Effect.fnUntraced(function* (events: Events) {
      const done = yield* doneOf(events)
      const missing = events.filter(({ id }) => !done.has(id))
      counts.listed += events.length
      counts.missing += missing.length
      if (!dryRun) return yield* applyAll(missing, run)
      yield* Effect.forEach(missing, ({ id, kind }) => onEvent({ id, kind, state: "waiting", note: "missing" }))
    })
    yield* reports
      .events({ since })
      .pipe(Stream.buffer({ capacity: EVENTS_AT_ONCE }), Stream.grouped(EVENTS_AT_ONCE), Stream.runForEach(handleAll))
    const report: CatchUpReport = { ...counts, states }
    return report
  })
}
