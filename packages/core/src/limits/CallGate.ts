import { Cause, Clock, Context, Data, Effect, Layer, type Scope } from "effect"
import { IdGenerator } from "../storage/storedForms.ts"
import { failureFields } from "../storage/failureFields.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type CallLimit, CallLimiter, type LimitReached } from "./CallLimiter.ts"

/**
 * The lifetime of the leases of calls in milliseconds, after which calls of a dead process are no longer counted;
 * `PAUSES_PER_RENEWAL` sets how often they are renewed.
 */
const LEASE_MS = 30_000
const PAUSES_PER_RENEWAL = 10
/** Milliseconds: the leases of ended calls are returned with the next call, or after this time if there is none. */
const PAUSE_MS = 1_000
/**
 * The time limit of a call to the store: a store that hangs must delay neither the next try nor the end of the process.
 */
const PATIENCE = "5 seconds"
/** The maximum number of remembered full windows; at this number, windows that have ended are removed. */
const MANY = 10_000

/** One of the limits of a call refused the call. */
export class CallRefused extends Data.TaggedError("CallRefused")<{
  /** The position of the limit in the list of the call's limits. */
  readonly place: number
  readonly reached: LimitReached
  /** Milliseconds until the window ends; undefined if the call has to wait for the end of another call. */
  readonly remainingMs: number | undefined
}> {}

export interface EnterInput {
  /** The limits, in the order in which they are checked: a refusal names the first. */
  readonly limits: ReadonlyArray<CallLimit>
  /** Milliseconds. */
  readonly windowMs: number
}

const keyOf = ({ name, subject }: CallLimit): string => `${name} ${subject}`

/**
 * Admits calls, each with one statement, and counts them as open until they end in any way. A full window stays full
 * until its end, so a process that knows of it refuses further calls without a statement.
 */
export class CallGate extends Context.Service<
  CallGate,
  {
    /** Admits a call, which stays open until the scope closes. A refused call is not counted anywhere. */
    enter(input: EnterInput): Effect.Effect<void, CallRefused | StorageFailed, Scope.Scope>
  }
>()("@parley/core/limits/CallGate") {
  static readonly layer = Layer.effect(
    CallGate,
    Effect.suspend(() => make)
  )
}

/**
 * Makes the leases of the calls of this process: leases of open calls are renewed, and those of ended calls are
 * returned.
 */
const makeLeases = Effect.gen(function* () {
  const limiter = yield* CallLimiter
  const scope = yield* Effect.scope
  const open = new Set<string>()
  let ended: Array<string> = []
  let pauses = 0
  let beating = false

  /**
   * Takes the leases of ended calls, to be returned with the next call. If that call fails, the leases expire, because
   * they are no longer renewed.
   */
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
      // The call may have been admitted even if the answer was lost, so its lease is ended in any case.
      yield* Effect.acquireRelease(
        Effect.tapErrorTag(admit(input, lease), "StorageFailed", () => end),
        () => end
      )
    })
  })
})
