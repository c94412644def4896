import { Context, Effect, Layer } from "effect"
import { heartbeatMs, makeBeats, HoldTtl } from "../../credits/holds/keepHolds.ts"
import { type ReplyBeat, type ReplyBeaten, RunningReplies } from "./RunningReplies.ts"

/** How often the text of a reply that others may read along is stored, if there is new text. */
const READ_ALONG_MS = 250
/** How often it is written at least: the answer says whether a reader has asked for its end. */
const LOOK_MS = 1_000

/** A reply of this process, as its heartbeats see it. */
export interface BeatingReply {
  readonly joinable: boolean
  readonly hasNews: () => boolean
  /** What there is to record now. */
  next(): ReplyBeat
  /** Takes the answer to the beat that `next` returned. */
  beaten(answer: ReplyBeaten, beat: ReplyBeat): Effect.Effect<void>
}

/**
 * The heartbeat of all replies that this process writes: one call for all of them stores the new text, records its tokens
 * and renews the holds, every two seconds. Replies that others may read along have a faster one.
 */
export class ReplyBeats extends Context.Service<
  ReplyBeats,
  {
    /** Keeps a reply until the effect that this returns is run. */
    keep(reply: BeatingReply): Effect.Effect<Effect.Effect<void>>
  }
>()("@parley/core/chat/reply/ReplyBeats") {
  static readonly layer = Layer.effect(
    ReplyBeats,
    Effect.gen(function* () {
      const replies = yield* RunningReplies
      const scope = yield* Effect.scope
      const ttlMs = yield* HoldTtl
      const lookMs = Math.min(LOOK_MS, Math.ceil(ttlMs / 4))

      const write = Effect.fnUntraced(function* (kept: ReadonlyArray<BeatingReply>) {
        const beats = kept.map((reply) => ({ reply, beat: reply.next() }))
        if (beats.length === 0) return
        const answers = yield* replies.write({ beats: beats.map(({ beat }) => beat), ttlMs })
        // Beside the heartbeats: to hold credits anew takes its time.
        for (const [index, { beat, reply }] of beats.entries()) {
          const answer = answers[index]
          if (answer !== undefined) yield* Effect.forkIn(reply.beaten(answer, beat), scope, { startImmediately: true })
        }
      })
      let sinceLook = 0
      const slow = yield* makeBeats<BeatingReply>(heartbeatMs(ttlMs), write)
      const fast = yield* makeBeats<BeatingReply>(Math.min(READ_ALONG_MS, lookMs), (kept) => {
        sinceLook = sinceLook >= lookMs ? 0 : sinceLook + READ_ALONG_MS
        return write(sinceLook === 0 ? kept : kept.filter(({ hasNews }) => hasNews()))
      })

      return ReplyBeats.of({
        keep: (reply) =>
          reply.joinable
            ? Effect.tap(fast(reply), () => Effect.forkIn(Effect.ignore(write([reply])), scope))
            : slow(reply)
      })
    })
  )
}
