import { Clock, Effect, Queue, Stream } from "effect"
import { acquireInScope } from "../background/acquireInScope.ts"
import type { ModelFailed, ReplyPart } from "./ChatModel.ts"
import { type FeedSource, makeReplyQueue, startReplyFeed } from "./replyFeed.ts"
import { type ReplyLimits, startPatience } from "./replyPatience.ts"

export interface ReplySource<Raw> extends FeedSource<Raw> {
  readonly limits: ReplyLimits
  /** In Unix milliseconds: the reply is aborted at this time, independent of the limits. */
  readonly deadline?: number
}

/**
 * Converts a vendor's stream to the parts of one reply, as every `ChatModel` returns them: text deltas and then
 * exactly one `end`, or a named failure. The reply is complete only with the vendor's own end mark (`cut-off`
 * otherwise), fails with `stalled` after a time limit and with `empty` if a complete reply has no text, and delivers
 * nothing after `end`. Parts that are ready together come in one array, never cut within a character. Leaving the
 * stream aborts the vendor's signal at once. The vendor is read at most `READ_AHEAD` items ahead.
 */
export const replyStream = <Raw>(source: ReplySource<Raw>): Stream.Stream<ReplyPart, ModelFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const queue = yield* makeReplyQueue
      const feed = yield* acquireInScope(
        Effect.sync(() => startReplyFeed(source, queue, clock)),
        (running) => Effect.sync(running.stop)
      )
      const patience = yield* startPatience(feed, source.limits, source.deadline)
      const taken = Effect.map(Queue.takeAll(queue), (ready) => {
        patience.goesOn()
        feed.goOn()
        return ready
      })
      const next = Effect.suspend(() => {
        patience.waits()
        return taken
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
