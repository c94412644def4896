import { Cause, Context, Effect, Layer } from "effect"
import { failureFields } from "../../storage/failureFields.ts"
import { CreditLedger } from "../CreditLedger.ts"
import type { HoldName } from "./Hold.ts"
import type { HoldProgress, Renewed } from "./Renewal.ts"
import { HoldTtl } from "./HoldTtl.ts"

/** How often open holds are renewed at most, and how many in one call. */
const HEARTBEAT_MS = 2_000
const HOLDS_PER_CALL = 1_000
/** A call that hangs must not keep the next heartbeats from trying. */
const PATIENCE = "10 seconds"

/** A hold that is kept, and how far its reply has come. */
interface KeptHold extends HoldName {
  readonly progress: () => HeartbeatProgress
  readonly onGone: Effect.Effect<void>
}

const isSame = (one: HoldName, other: HoldName): boolean => one.userId === other.userId && one.key === other.key

/** How far a reply has come: what a heartbeat records. */
export type HeartbeatProgress = Pick<HoldProgress, "outputTokens" | "draft">

/**
 * Keeps the holds of all replies that this process is writing: one heartbeat records what each has delivered and renews
 * its hold, in one call for all of them. Nothing runs while no reply is open.
 */
export class HoldHeartbeat extends Context.Service<
  HoldHeartbeat,
  {
    /** How long a hold lives without a heartbeat, in milliseconds. */
    readonly ttlMs: number
    /**
     * Keeps a hold until the effect it gives is run. `progress` is asked at every heartbeat; `onGone` runs, beside the
     * heartbeats, after each that found the hold ended by another process.
     */
    keep(
      hold: HoldName,
      progress: () => HeartbeatProgress,
      onGone: Effect.Effect<void>
    ): Effect.Effect<Effect.Effect<void>>
  }
>()("@parley/core/credits/HoldHeartbeat") {
  static readonly layer = Layer.effect(
    HoldHeartbeat,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const ttlMs = yield* HoldTtl
      const scope = yield* Effect.scope
      const kept = new Set<KeptHold>()
      let beating = false

      const tellGone = ({ gone }: Renewed) =>
        Effect.forEach(
          gone.length === 0 ? [] : [...kept].filter((one) => gone.some((each) => isSame(one, each))),
          ({ onGone }) => Effect.forkIn(onGone, scope),
          { discard: true }
        )
      const renew = (holds: ReadonlyArray<HoldProgress>) =>
        Effect.catchCause(Effect.flatMap(Effect.timeout(ledger.renew({ holds, ttlMs }), PATIENCE), tellGone), (cause) =>
          Effect.annotateLogs(
            Effect.logWarning("Open replies could not be recorded; trying again at the next heartbeat."),
            failureFields(Cause.squash(cause))
          )
        )
      const beat = Effect.suspend(() => {
        const holds = [...kept].map(({ userId, key, progress }) => ({ userId, key, ...progress() }))
        const calls = Array.from({ length: Math.ceil(holds.length / HOLDS_PER_CALL) }, (_, index) =>
          holds.slice(index * HOLDS_PER_CALL, (index + 1) * HOLDS_PER_CALL)
        )
        return Effect.forEach(calls, renew, { discard: true })
      })
      const pause = Effect.sleep(Math.min(HEARTBEAT_MS, Math.ceil(ttlMs / 3)))
      const beats = Effect.whileLoop({
        while: () => {
          beating = kept.size > 0
          return beating
        },
        body: () => Effect.andThen(pause, beat),
        step: () => undefined
      })

      return HoldHeartbeat.of({
        ttlMs,
        keep: (hold, progress, onGone) =>
          Effect.suspend(() => {
            const one: KeptHold = { userId: hold.userId, key: hold.key, progress, onGone }
            kept.add(one)
            const stop = Effect.sync(() => void kept.delete(one))
            if (beating) return Effect.succeed(stop)
            beating = true
            return Effect.as(Effect.forkIn(Effect.interruptible(beats), scope), stop)
          })
      })
    })
  )
}
