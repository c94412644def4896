import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { AccessList } from "../../sessions/AccessList.ts"

/** The interval at which a process looks whether a person of its replies was blocked. */
const LOOK_MS = 1_000
/** The age of the list that is read anew then: timers may fire early. */
const MAX_AGE_MS = 500

/** A reply that this process writes. */
export interface EndableReply {
  /** The people whose block ends it. */
  readonly people: ReadonlyArray<UserId>
  /** Interrupts it, without waiting. */
  readonly stop: () => void
}

/**
 * Returns an effect that begins to watch the replies of this process, unless it is watching: every second, and at once, it
 * ends those of blocked people. It goes on until none runs. A reply that began by an older list is ended by the next one.
 */
export const makeEndBlockedReplies = (running: () => ReadonlyArray<EndableReply>) =>
  Effect.gen(function* () {
    const accessList = yield* AccessList
    const scope = yield* Effect.scope
    let watching = false

    const look = Effect.gen(function* () {
      const people = new Set(running().flatMap(({ people }) => people))
      const blocked = yield* accessList.blockedAmong(people, MAX_AGE_MS)
      if (blocked.size === 0) return
      for (const reply of running()) if (reply.people.some((userId) => blocked.has(userId))) reply.stop()
    })
    const watch = Effect.whileLoop({
      while: () => running().length > 0,
      // A process without a list admits no session.
      body: () => Effect.andThen(Effect.ignore(look), Effect.sleep(LOOK_MS)),
      step: () => undefined
    }).pipe(Effect.ensuring(Effect.sync(() => void (watching = false))))

    return Effect.suspend(() => {
      if (watching) return Effect.void
      watching = true
      return Effect.asVoid(Effect.forkIn(Effect.interruptible(watch), scope))
    })
  })
