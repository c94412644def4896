import { Context, Effect, Layer } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import { HoldTtl } from "../../credits/holds/HoldTtl.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { RunningReplies } from "./RunningReplies.ts"

/** Replies ended in one call, and the time between two sweeps. */
const REPLIES_PER_SWEEP = 100
const BETWEEN_SWEEPS = "10 seconds"
/** A process that starts may do so after an outage: those that live have this long to write what they did not. */
const AFTER_START_MS = 20_000

/** Keeps what was written of replies whose process died. Any number of servers may sweep at once. */
export class ReplySweeper extends Context.Service<
  ReplySweeper,
  {
    /** Ends all replies that no process writes any more: what there is of each becomes its message. Gives how many. */
    readonly sweep: Effect.Effect<number, StorageFailed>
    /** Sweeps every few seconds until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/chat/running/ReplySweeper") {
  static readonly layer = Layer.effect(
    ReplySweeper,
    Effect.gen(function* () {
      const replies = yield* RunningReplies
      const othersWrite = Effect.sleep(Math.min(AFTER_START_MS, yield* HoldTtl))
      const sweep = Effect.gen(function* () {
        let all = 0
        for (;;) {
          const ended = yield* replies.sweep({ limit: REPLIES_PER_SWEEP })
          all += ended
          if (ended < REPLIES_PER_SWEEP) return all
        }
      })
      const report = (replies: number) =>
        replies === 0
          ? Effect.void
          : Effect.annotateLogs(Effect.logInfo("Kept what was written of replies whose process died."), { replies })
      const sweeps = repeatWork(sweep, {
        every: BETWEEN_SWEEPS,
        report,
        onFailure: Effect.logWarning("Replies of processes that died could not be looked for; trying again.")
      })
      return ReplySweeper.of({ sweep, run: Effect.andThen(othersWrite, sweeps) })
    })
  )
}
