import { Cause, Context, Effect, Exit, Layer, Option, Queue, Random, type Scope } from "effect"
import { repeatWork } from "../background/repeatWork.ts"
import { instruments } from "../telemetry/instruments.ts"
import { spanFrom } from "../telemetry/trace.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { DeliveryFailed, type EventSink, EventSinks } from "./EventSink.ts"
import { LowBalance, lowBelow } from "./LowBalance.ts"
import { type ClaimedDelivery, type DeliveryOutcome, Outbox, SUBSCRIBE_EVERY_MS } from "./Outbox.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses after failed tries: eleven tries within about three days. */
const RESTS_MS: ReadonlyArray<number> = [
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR
]

/** The maximum number of tries of an event. */
export const MAX_TRIES = RESTS_MS.length + 1

/** The maximum wait, in milliseconds, that a receiver may request. */
const LONGEST_MS = 24 * HOUR

/**
 * Returns the pause in milliseconds after the failed try with the number `tries`; undefined after the last try.
 * `chance`, from 0 to 1, adds up to a tenth, so that events that failed together are not retried at the same moment.
 */
export const deliveryRest = (tries: number, askedForMs: number, chance: number): number | undefined => {
  const rest = RESTS_MS[tries - 1]
  return rest === undefined
    ? undefined
    : Math.round(Math.max(rest * (1 + chance / 10), Math.min(askedForMs, LONGEST_MS)))
}

/** The maximum number of events that one process delivers to one destination at the same time. */
const AT_ONCE = 8
/** The milliseconds by which a claim outlasts the time limit of a try, so that its outcome can be recorded. */
const LEASE_GRACE_MS = 30_000
/** The pause before the outbox is read again, if fewer events were claimed than can be delivered at the same time. */
const BETWEEN_LOOKS = "1 second"
/** The pause after the storage failed. */
const AFTER_FAILURE = "5 seconds"
const PRUNED_AT_ONCE = 1_000

const failureOf = (exit: Exit.Exit<void, DeliveryFailed>): DeliveryFailed => {
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  return error instanceof DeliveryFailed ? error : new DeliveryFailed({ reason: "threw" })
}

/** Makes a try to deliver an event; returns its outcome. */
const makeOutcome = Effect.map(Outbox, (outbox) =>
  Effect.fnUntraced(function* (sink: EventSink, { event, tries }: ClaimedDelivery) {
    // All processes that claimed the event before died during the try, or were stopped.
    if (tries > MAX_TRIES) return { _tag: "Dead", reason: "abandoned" } satisfies DeliveryOutcome
    const exit = yield* Effect.exit(
      Effect.timeoutOrElse(sink.deliver(event), {
        duration: sink.timeLimitMs,
        orElse: () => Effect.fail(new DeliveryFailed({ reason: "timeout" }))
      })
    )
    if (Exit.isSuccess(exit)) return { _tag: "Delivered" } satisfies DeliveryOutcome
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    const { isGone = false, reason, retryAfterMs = 0 } = failureOf(exit)
    instruments.webhooksRefused.record(1, { reason })
    const about = { destination: sink.id, event: event.id, type: event.type, tries, reason }
    if (isGone) {
      yield* Effect.annotateLogs(Effect.logWarning("A destination wants no more events; it gets none."), about)
      yield* outbox.disable(sink.id)
      return { _tag: "Dead", reason } satisfies DeliveryOutcome
    }
    const rest = deliveryRest(tries, retryAfterMs, yield* Random.next)
    const said =
      rest === undefined
        ? 'An event was not delivered and is not tried again; see "parley events list".'
        : "An event was not delivered; it is tried again."
    yield* Effect.annotateLogs(Effect.logWarning(said), about)
    return rest === undefined
      ? ({ _tag: "Dead", reason } satisfies DeliveryOutcome)
      : ({ _tag: "Retry", afterMs: rest, reason } satisfies DeliveryOutcome)
  })
)

/** Runs a try in a span of the trace in which its event was written. */
const inTrace = <A, E>(
  { event: { type }, traceparent, tries }: ClaimedDelivery,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const parent = spanFrom(traceparent)
  return Effect.withSpan(work, `deliver ${type}`, {
    kind: "producer",
    ...(parent === undefined ? { root: true } : { parent }),
    attributes: { "parley.delivery.try": tries }
  })
}

/** Makes the two parts of delivery: claiming deliveries, and trying one. */
const makeParts = Effect.gen(function* () {
  const outbox = yield* Outbox
  const outcomeOf = yield* makeOutcome
  return {
    tryOne: (sink: EventSink, delivery: ClaimedDelivery) =>
      Effect.flatMap(inTrace(delivery, outcomeOf(sink, delivery)), (outcome) =>
        retryStorage(outbox.conclude({ destination: sink.id, delivery, outcome }))
      ),
    claim: ({ id, timeLimitMs }: EventSink, limit: number) =>
      outbox.claim({ destination: id, limit, leaseMs: timeLimitMs + LEASE_GRACE_MS })
  }
})

type Parts = Effect.Success<typeof makeParts>

/** Delivers everything that is due to a destination; returns the number of deliveries that were tried. */
const deliverTo = ({ claim, tryOne }: Parts) =>
  Effect.fnUntraced(function* (sink: EventSink) {
    let tried = 0
    for (;;) {
      const claimed = yield* claim(sink, AT_ONCE)
      yield* Effect.forEach(claimed, (each) => tryOne(sink, each), { concurrency: AT_ONCE, discard: true })
      tried += claimed.length
      if (claimed.length < AT_ONCE) return tried
    }
  })

/** Keeps as many tries running as allowed, so that a slow try does not delay the others. */
const serveIn = ({ claim, tryOne }: Parts) =>
  Effect.fnUntraced(function* (sink: EventSink) {
    const ended = yield* Queue.sliding<void>(1)
    let underWay = 0
    for (;;) {
      if (underWay >= AT_ONCE) yield* Queue.take(ended)
      const free = AT_ONCE - underWay
      if (free === 0) continue
      // A defect also ends only this look, because no other fiber would serve this destination again.
      const claimed = yield* Effect.option(Effect.catchDefect(claim(sink, free), Effect.fail))
      for (const delivery of Option.getOrElse(claimed, () => [])) {
        underWay += 1
        yield* Effect.forkScoped(
          Effect.ensuring(
            Effect.catch(Effect.catchDefect(tryOne(sink, delivery), Effect.fail), () => NOT_NOTED),
            Effect.sync(() => {
              underWay -= 1
              Queue.offerUnsafe(ended, undefined)
            })
          )
        )
      }
      if (Option.isNone(claimed)) yield* Effect.andThen(NOT_CLAIMED, Effect.sleep(AFTER_FAILURE))
      else if (claimed.value.length < free) yield* Effect.sleep(BETWEEN_LOOKS)
    }
  })

/**
 * Delivers events of the outbox to the destinations of this process, each at least once. Destinations do not wait for
 * each other, and an event that fails does not delay the next one. Any number of processes may deliver at once.
 */
export class EventDelivery extends Context.Service<
  EventDelivery,
  {
    /** Delivers everything that is due now to all destinations; returns the number of deliveries that were tried. */
    readonly deliver: Effect.Effect<number, StorageFailed>
    /** Delivers new events until interrupted, and deletes old ones. */
    readonly run: Effect.Effect<never, never, Scope.Scope>
  }
>()("@parley/core/events/EventDelivery") {
  /** Subscribes the destinations when the layer is built: events that are committed afterwards are delivered. */
  static readonly layer = Layer.effect(
    EventDelivery,
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sinks = yield* EventSinks
      const isTold = sinks.some(({ types }) => types.includes("balance.low"))
      const threshold = isTold ? lowBelow(yield* LowBalance, yield* Catalog) : undefined
      const destinations = sinks.map(({ id, types }) => ({ id, types }))
      const subscribe = sinks.length === 0 ? Effect.void : outbox.subscribe({ destinations, lowBelow: threshold })

      const parts = yield* makeParts

      const prune = Effect.gen(function* () {
        while ((yield* outbox.prune({ limit: PRUNED_AT_ONCE })) >= PRUNED_AT_ONCE);
      })
      const upkeep = repeatWork(Effect.andThen(subscribe, prune), {
        every: SUBSCRIBE_EVERY_MS,
        report: () => Effect.void,
        onFailure: Effect.logWarning("Delivered events could not be cleared away; trying again in some minutes.")
      })

      yield* Effect.catchTag(retryStorage(subscribe), "StorageFailed", () =>
        Effect.logWarning("Hooks and webhooks could not be subscribed; events are delivered from the next try on.")
      )
      return EventDelivery.of({
        deliver: Effect.map(Effect.forEach(sinks, deliverTo(parts), { concurrency: "unbounded" }), (tried) =>
          tried.reduce((sum, each) => sum + each, 0)
        ),
        run: Effect.gen(function* () {
          yield* Effect.forEach(sinks, (sink) => Effect.forkScoped(serveIn(parts)(sink)))
          return yield* upkeep
        })
      })
    })
  )
}

const NOT_NOTED = Effect.logWarning("The outcome of a delivery could not be stored; the event is delivered again.")
const NOT_CLAIMED = Effect.logWarning("Events could not be looked for; trying again in some seconds.")
