import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { AccessList } from "../../sessions/AccessList.ts"

/** The interval at which a process checks whether a person of its replies was blocked. */
const LOOK_MS = 1_000
/** A list older than this is read again for a check; less than the interval, because timers may fire early. */
const MAX_AGE_MS = 500

/** Refuses messages and replies of people of whom one is blocked. */
export const makeRefuseBlocked = Effect.map(
  AccessList,
  ({ checkPerson }) =>
    (people: Iterable<UserId>) =>
      Effect.forEach(new Set(people), checkPerson, { discard: true })
)

/** A reply that this process writes. */
export interface EndableReply {
  /** The people whose block ends it. */
  readonly people: ReadonlyArray<UserId>
  /** Interrupts it, without waiting. */
  readonly stop: () => void
}

/**
 * Returns an effect that starts a watch over the replies of this process, unless one is running. The watch ends the
 * replies of blocked people at once and then every second, until no reply runs. A reply that began before the process
 * read of a block is ended by the next check.
 */
export const makeEndBlockedReplies = (running: () => ReadonlyArray<EndableReply>) =>
  Effect.gen(function* () {
    const accessList = yield* AccessList
    const scope = yield* Effect.scope
    let watching = false

    const look = Effect.gen(function* () {
      const people = new Set<UserId>()
      for (const reply of running()) for (const userId of reply.people) people.add(userId)
      const blocked = yield* accessList.blockedAmong(people, MAX_AGE_MS)
      if (blocked.size === 0) return
      for (const reply of running()) if (reply.people.some((userId) => blocked.has(userId))) reply.stop()
    })
    const watch = Effect.gen(function* () {
      // Set together with the decision to stop, so that a reply that begins after it starts the next watch.
      while ((watching = running().length > 0)) {
        // Without a list there is nothing to end: a process that has none admits no session.
        yield* Effect.ignore(look)
        yield* Effect.sleep(LOOK_MS)
      }
    }).pipe(Effect.onError(() => Effect.sync(() => void (watching = false))))

    return Effect.suspend(() => {
      if (watching) return Effect.void
      watching = true
      return Effect.asVoid(Effect.forkIn(Effect.interruptible(watch), scope))
    })
  })
