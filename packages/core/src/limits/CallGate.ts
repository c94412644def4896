import { Cause, Clock, Context, Data, Effect, Layer, type Scope } from "effect"
import { IdGenerator } from "../storage/storedForms.ts"
import { failureFields } from "../storage/failureFields.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type CallLimit, CallLimiter, type LimitReached } from "./CallLimiter.ts"

/**
 * Lifetime of the leases of calls, after which calls of a dead process no longer count, and the interval of their
 * renewal.
 */
const LEASE_MS = 30_000
const PAUSES_PER_RENEWAL = 10
/** Leases of ended calls are returned with the next call, or after this long without one. */
const PAUSE_MS = 1_000
/** A store that hangs must not hold up the next try, nor the end of the process. */
const PATIENCE = "5 seconds"
/** Above this many remembered full windows, ended ones are removed. */
const MANY = 10_000

/** A call that one of its limits refused. */
export class CallRefused extends Data.TaggedError("CallRefused")<{
  /** The place of the limit among those of the call. */
  readonly place: number
  readonly reached: LimitReached
  /** Milliseconds until the window ends; undefined if an open call has to end first. */
  readonly remainingMs: number | undefined
}> {}

export interface EnterInput {
  /** In the order in which a refusal names them. */
  readonly limits: ReadonlyArray<CallLimit>
  /** Milliseconds. */
  readonly windowMs: number
}

const keyOf = ({ name, subject }: CallLimit): string => `${name} ${subject}`

/**
 * Admits calls, with one statement each, and counts them as open until they end in any way. A full window stays full
 * until its end, so a process that has learned this refuses further calls without a statement.
 */
export class CallGate extends Context.Service<
  CallGate,
  {
    /** Admits a call, which is open until the scope closes. A refused call is counted nowhere. */
    enter(input: EnterInput): Effect.Effect<void, CallRefused | StorageFailed, Scope.Scope>
  }
>()("@parley/core/limits/CallGate") {
  static readonly layer = Layer.effect(
    CallGate,
    Effect.suspend(() => make)
  )
}

/** The leases of this process' calls: those of open calls are renewed, those of ended calls returned. */
const makeLeases = Effect.gen(function* () {
  const limiter = yield* CallLimiter
  const scope = yield* Effect.scope
  const open = new Set<string>()
  let ended: Array<string> = []
  let pauses = 0
  let beating = false

  /** If the call that carries these leases fails, they expire by themselves, because they are no longer renewed. */
  const takeEnded = (): ReadonlyArray<string> => {
    const taken = ended
    ended = []
    return taken
  }
  const keep = (leases: ReadonlyArray<string>) =>
    Effect.suspend(() => limiter.keep({ leases, leaseMs: LEASE_MS, ended: takeEnded() })).pipe(
      Effect.timeout(PATIENCE),
      Effect.catchCause((cause) =>
        Effect.annotateLogs(
          Effect.logWarning("Open calls could not be counted on; trying again in a few seconds."),
          failureFields(Cause.squash(cause))
        )
      )
    )
  const beat = Effect.suspend(() => {
    pauses = (pauses + 1) % PAUSES_PER_RENEWAL
    const due = pauses === 0 && open.size > 0
    return due || ended.length > 0 ? keep(due ? [...open] : []) : Effect.void
  })
  const beats = Effect.whileLoop({
    while: () => {
      beating = open.size > 0 || ended.length > 0
      return beating
    },
    body: () => Effect.andThen(Effect.sleep(PAUSE_MS), beat),
    step: () => undefined
  })
  yield* Effect.addFinalizer(() => Effect.suspend(() => (ended.length > 0 ? keep([]) : Effect.void)))

  return {
    takeEnded,
    begin: (lease: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        open.add(lease)
        if (beating) return Effect.void
        beating = true
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(beats), scope))
      }),
    end: (lease: string): void => {
      open.delete(lease)
      ended.push(lease)
    }
  }
})

/** The windows that this process knows to be full, each with its end in Unix milliseconds. */
class FullWindows {
  readonly #ends = new Map<string, number>()

  remember(limit: CallLimit, until: number, now: number): void {
    if (this.#ends.size >= MANY) for (const [key, endsAt] of this.#ends) if (endsAt <= now) this.#ends.delete(key)
    if (this.#ends.size < MANY) this.#ends.set(keyOf(limit), until)
  }

  refusal({ limits }: EnterInput, now: number): CallRefused | undefined {
    for (const [place, limit] of limits.entries()) {
      const remainingMs = (this.#ends.get(keyOf(limit)) ?? 0) - now
      if (remainingMs > 0) return new CallRefused({ place, reached: "calls", remainingMs })
    }
    return undefined
  }
}

const make = Effect.gen(function* () {
  const limiter = yield* CallLimiter
  const ids = yield* IdGenerator
  const leases = yield* makeLeases
  const full = new FullWindows()

  const admit = Effect.fnUntraced(function* ({ limits, windowMs }: EnterInput, lease: string) {
    const admission = yield* limiter.admit({ limits, windowMs, lease, leaseMs: LEASE_MS, ended: leases.takeEnded() })
    if (admission._tag === "Admitted") return yield* leases.begin(lease)
    const { place, reached, remainingMs } = admission
    if (reached === "atOnce") return yield* new CallRefused({ place, reached, remainingMs: undefined })
    const limit = limits[place]
    const now = yield* Clock.currentTimeMillis
    if (limit !== undefined) full.remember(limit, now + remainingMs, now)
    return yield* new CallRefused({ place, reached, remainingMs })
  })

  return CallGate.of({
    enter: Effect.fnUntraced(function* (input) {
      const refusal = full.refusal(input, yield* Clock.currentTimeMillis)
      if (refusal !== undefined) return yield* refusal
      const lease = yield* ids.next
      const end = Effect.sync(() => leases.end(lease))
      // It may have been admitted although its answer was lost.
      yield* Effect.acquireRelease(
        Effect.tapErrorTag(admit(input, lease), "StorageFailed", () => end),
        () => end
      )
    })
  })
})
