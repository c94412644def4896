import { Cause, Clock, Context, Effect, FiberSet, Layer, References } from "effect"
import { type EventSink, EventSinks } from "../events/EventSink.ts"
import { Outbox } from "../events/Outbox.ts"
import { eventOf, type ParleyEvent, type SecurityEvent, type SecurityEventName } from "../events/ParleyEvent.ts"
import { RequestOrigin } from "../identity/RequestOrigin.ts"
import type { UserId } from "../identity/UserId.ts"
import { addressBucket, bareAddress } from "../limits/addressBucket.ts"
import { failureFields } from "../storage/failureFields.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import { instruments } from "../telemetry/instruments.ts"
import { type CountedRefusal, RefusalCounts } from "./RefusalCounts.ts"

/** The window in which refusals are counted. */
const WINDOW = "1 minute"
/** The maximum number of pairs of person and address that a process remembers. */
const MOST_SIGHTINGS = 50_000
const MOST_AGENT_CHARACTERS = 200
/** The maximum time that the end of a process waits for a storage that does not answer. */
const PATIENCE = "5 seconds"

/** Line ends and invisible characters, which could make one log line look like several. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

const visible = (text: string): string => text.toWellFormed().replaceAll(INVISIBLE, "\ufffd")

/** True while a change is tried out and rolled back: no event is reported then. */
export class IsTrial extends Context.Reference<boolean>("@parley/core/security/IsTrial", {
  defaultValue: () => false
}) {}

/** A fact to report as a security event. */
export interface SecurityFact {
  readonly event: Exclude<SecurityEventName, "refused">
  readonly userId?: UserId | undefined
  /** A code from a closed list; `ok` unless given. */
  readonly outcome?: string | undefined
}

/** A refused request. */
export interface RefusedRequest extends Omit<CountedRefusal, "address" | "route"> {
  readonly userId: string | undefined
}

type Facts = SecurityEvent["data"]

/** The fields of the request, in a form that is safe for logs. */
const originFacts = Effect.map(RequestOrigin, (origin): Partial<Facts> => {
  if (origin === undefined) return {}
  const { address, requestId, route, userAgent } = origin
  return {
    address: bareAddress(address),
    ...(userAgent === undefined ? {} : { userAgent: visible(userAgent.slice(0, MOST_AGENT_CHARACTERS)) }),
    route,
    requestId
  }
})

const log = (facts: Facts, suspicious: boolean) => {
  const sentence = facts.event === "refused" ? "A request was refused." : "A security event."
  return Effect.annotateLogs(suspicious ? Effect.logWarning(sentence) : Effect.logInfo(sentence), {
    ...facts,
    ...(facts.userId === undefined ? {} : { userId: visible(facts.userId) })
  })
}

/** Sends reports of refusals to the hooks of this process, once and without storing them. */
const makeHooks = Effect.gen(function* () {
  const sinks = (yield* EventSinks).filter(
    ({ isOfThisProcess, types }) => isOfThisProcess === true && types.includes("security")
  )
  const ids = yield* IdGenerator
  const fibers = yield* FiberSet.make<void>()
  const call = (sink: EventSink, event: ParleyEvent) =>
    sink.deliver(event).pipe(
      Effect.timeout(sink.timeLimitMs),
      Effect.catchCause(() =>
        Effect.annotateLogs(Effect.logWarning("A hook did not take a security event."), { destination: sink.id })
      )
    )
  return Effect.fnUntraced(function* (data: Facts) {
    if (sinks.length === 0) return
    const at = yield* Clock.currentTimeMillis
    const event = eventOf({ id: `evt_${(yield* ids.next).replaceAll("-", "")}`, type: "security", at, data })
    for (const sink of sinks) yield* FiberSet.run(fibers, call(sink, event))
  })
})

/** Counts refusals; reports the first ones at once and the others after a minute. */
const makeRefusals = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const tellHooks = yield* makeHooks
  const counts = new RefusalCounts()
  /** The context of the first refusal in the window, used for the reports at its end. */
  let surroundings: Context.Context<never> | undefined

  const end = Effect.suspend(() => {
    const context = surroundings
    surroundings = undefined
    if (context === undefined) return Effect.void
    return Effect.forEach(
      counts.end(),
      ({ address, count, outcome, problem, route, suspicious }) => {
        const facts: Facts = {
          event: "refused",
          address,
          route,
          outcome,
          ...(problem === undefined ? {} : { problem }),
          count
        }
        return Effect.andThen(log(facts, suspicious), tellHooks(facts))
      },
      { discard: true }
    ).pipe(Effect.provideService(References.CurrentLogAnnotations, {}), Effect.provideContext(context))
  })
  yield* Effect.addFinalizer(() => end)

  const refuse = Effect.fnUntraced(function* ({ userId, ...refusal }: RefusedRequest) {
    const origin = yield* RequestOrigin
    instruments.refusals.record(1, { code: refusal.outcome })
    const isReported = counts.add({ ...refusal, address: addressBucket(origin?.address), route: origin?.route ?? "" })
    if (surroundings === undefined) {
      surroundings = yield* Effect.context<never>()
      yield* Effect.forkIn(Effect.andThen(Effect.sleep(WINDOW), end), scope)
    }
    if (!isReported) return
    const { outcome, problem, suspicious } = refusal
    const facts: Facts = {
      event: "refused",
      ...(yield* originFacts),
      outcome,
      ...(problem === undefined ? {} : { problem }),
      ...(userId === undefined ? {} : { userId })
    }
    yield* log(facts, suspicious)
    yield* tellHooks(facts)
  })
  return { refuse, totals: Effect.sync(() => counts.totals) }
})

/** The newest pairs of person and address that this process has seen. */
const makeSightings = () => {
  const seen = new Set<string>()
  return {
    /** Records a pair; returns false if the pair was known. */
    add: (pair: string): boolean => {
      const isNew = !seen.delete(pair)
      if (isNew && seen.size >= MOST_SIGHTINGS) seen.delete(seen.values().next().value as string)
      seen.add(pair)
      return isNew
    },
    remove: (pair: string): void => void seen.delete(pair)
  }
}

/**
 * The security events of this process: each is a line of the log. All except refusals are also stored for the hooks and
 * webhooks that have subscribed to them; refusals reach only the hooks of this process.
 */
export class SecurityEvents extends Context.Service<
  SecurityEvents,
  {
    /** Reports a fact about the request in `RequestOrigin`, after the fact was stored. Never fails. */
    record(fact: SecurityFact): Effect.Effect<void>
    /**
     * Records a request of a person with a valid session. The first request from an address, or from an IPv6 network,
     * is reported as `signed_in`; a process remembers 50,000 pairs of person and address.
     */
    see(userId: UserId): Effect.Effect<void>
    /** Counts a refusal by its kind and address. The first refusals are reported at once, the others after a minute. */
    refuse(refusal: RefusedRequest): Effect.Effect<void>
    /** The numbers of refusals since this process started, by code and problem. */
    readonly refusals: Effect.Effect<Readonly<Record<string, number>>>
  }
>()("@parley/core/security/SecurityEvents") {
  static readonly layer = Layer.effect(
    SecurityEvents,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const outbox = yield* Outbox
  const { refuse, totals } = yield* makeRefusals
  const sightings = makeSightings()
  const publishing = yield* FiberSet.make<void>()
  // When the process ends, it first stores the events that it has reported.
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(publishing), PATIENCE)))

  const publish = (data: Facts) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => retryStorage(outbox.publish({ type: "security", at, data }))).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(
          Effect.logWarning("A security event could not be stored for hooks and webhooks."),
          failureFields(Cause.squash(cause))
        )
      )
    )
  /**
   * Uses the bucket of the address, because one person has all addresses of an IPv6 network, and each new pair is an
   * event.
   */
  const pairOf = (userId: UserId) =>
    Effect.map(RequestOrigin, (origin) => `${userId}\0${addressBucket(origin?.address)}`)

  const record = Effect.fnUntraced(function* ({ event, outcome = "ok", userId }: SecurityFact) {
    if (yield* IsTrial) return
    if (userId !== undefined && event === "signed_in") sightings.add(yield* pairOf(userId))
    if (userId !== undefined && event === "signed_out") sightings.remove(yield* pairOf(userId))
    const facts: Facts = {
      event,
      ...(userId === undefined ? {} : { userId }),
      ...(yield* originFacts),
      outcome
    }
    yield* log(facts, false)
    yield* FiberSet.run(publishing, publish(facts))
  })

  return SecurityEvents.of({
    record,
    see: Effect.fnUntraced(function* (userId) {
      if (sightings.add(yield* pairOf(userId))) yield* record({ event: "signed_in", userId })
    }),
    refuse,
    refusals: totals
  })
})
