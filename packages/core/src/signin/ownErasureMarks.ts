import { Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { mailboxOf, SignInStore } from "./SignInStore.ts"

const NAME = "own-erasure"

/** The event that records an erasure at the person's own request; its digest does not contain the identity. */
const markOfPerson = (userId: UserId) =>
  Effect.map(sha256OfText(userId), (digest) => ({ subject: `erased-person:${digest}`, name: NAME }))

/** The event for the person's mailbox, because each sign-in by e-mail after an erasure has a new user id. */
const markOfMailbox = (email: string) =>
  Effect.map(mailboxOf(email), (mailbox) => ({ subject: `erased-${mailbox}`, name: NAME }))

/** Returns both events; `email` is the address with which the person signs in, if there is one. */
export const ownErasureMarks = (userId: UserId, email: string | undefined) =>
  Effect.all(email === undefined ? [markOfPerson(userId)] : [markOfPerson(userId), markOfMailbox(email)])

/**
 * Makes a function that returns the milliseconds for which an erasure at the person's own request is still remembered;
 * zero if there was none.
 */
export const makeOwnErasureLeft = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const signIns = yield* SignInStore
  /** `isKnown` is true if there is an access record for this id, which every erasure leaves (`AccessStore`). */
  return Effect.fnUntraced(function* (userId: UserId, isKnown: boolean) {
    const address = yield* signIns.find(userId)
    const marks = [
      ...(isKnown ? [markOfPerson(userId)] : []),
      ...(address === undefined ? [] : [markOfMailbox(address.email)])
    ]
    if (marks.length === 0) return 0
    const left = yield* Effect.flatMap(Effect.all(marks), limiter.peek)
    return Math.max(0, ...left.map(({ remainingMs }) => remainingMs))
  })
})
