import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { type Session, SessionInvalid } from "../identity/SessionVerifier.ts"
import type { UserId } from "../identity/UserId.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { failureFields } from "../storage/failureFields.ts"
import { StorageFailed } from "../storage/StorageFailed.ts"
import { type AccessRecord, AccessStore } from "./AccessStore.ts"
import { UserBlocked } from "./errors.ts"
import { type RevokedSession, RevokedSessions } from "./RevokedSessions.ts"

/** Milliseconds for which a process relies on its last list of ended sessions and blocked people. */
const RELIED_ON_MS = 2_000
/** The maximum time that a request waits for a storage that does not answer. */
const ANSWER_WITHIN = "2 seconds"
/** The maximum number of user ids whose digests a process remembers. */
const MOST_DIGESTS = 10_000

/** The person of a request, and the time at which the session was issued. */
export interface Identified extends Pick<Session, "userId" | "issuedAt"> {
  /** The token that proved the identity; undefined if the host's own sign-in did. */
  readonly token: string | undefined
}

/** Refuses sessions that were ended and people who were blocked, by a list that each process keeps in memory. */
export class AccessList extends Context.Service<
  AccessList,
  {
    /**
     * Refuses a session that was signed out, alone or together with all sessions of its person, and a blocked person.
     * If the storage does not respond, the last list is used; fails with `StorageFailed` only if this process has never
     * read the list.
     */
    check(identified: Identified): Effect.Effect<void, SessionInvalid | UserBlocked | StorageFailed>
    /** Refuses a blocked person. */
    checkPerson(userId: UserId): Effect.Effect<void, UserBlocked | StorageFailed>
    /** Returns true if this token's session was signed out. */
    isRevoked(token: string): Effect.Effect<boolean, StorageFailed>
    /** Returns those of the given people who are blocked, by a list that is at most `maxAgeMs` old. */
    blockedAmong(userIds: Iterable<UserId>, maxAgeMs: number): Effect.Effect<ReadonlySet<UserId>, StorageFailed>
    /** Adds a change that this process made to its list at once. */
    learn(change: { readonly session: RevokedSession } | { readonly person: AccessRecord }): Effect.Effect<void>
  }
>()("@parley/core/sessions/AccessList") {
  static readonly layer = Layer.effect(
    AccessList,
    Effect.suspend(() => make)
  )
}

/**
 * Returns true if a token was issued before its person's sessions were ended, or does not contain the time of its
 * issue.
 */
export const isEnded = ({ notBefore }: Pick<AccessRecord, "notBefore">, issuedAt: number | undefined): boolean =>
  notBefore !== undefined && (issuedAt === undefined || issuedAt < notBefore)

/** Makes the list of a process. Its first read loads all stored changes, each later read only the new ones. */
const makeList = Effect.gen(function* () {
  const sessions = yield* RevokedSessions
  const access = yield* AccessStore
  const alone = yield* Semaphore.make(1)
  /** The times at which the tokens of revoked sessions expire, by their digests. */
  const revoked = new Map<string, number>()
  const people = new Map<string, AccessRecord>()
  let asOf: { readonly sessions: number; readonly people: number } | undefined
  /** The time of this process's last query to the storage, by its own clock. */
  let askedAt = -Infinity

  const learnPerson = (record: AccessRecord) => {
    const { blockedAt, notBefore, person } = record
    if (blockedAt === undefined && notBefore === undefined) people.delete(person)
    else people.set(person, record)
  }

  const noAnswer = () =>
    new StorageFailed({ operation: "AccessList.list", retryable: true, cause: new Error("No answer.") })

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [ended, changed] = yield* Effect.all([sessions.since(asOf?.sessions), access.since(asOf?.people)], {
      concurrency: 2
    }).pipe(Effect.timeoutOrElse({ duration: ANSWER_WITHIN, orElse: () => Effect.fail(noAnswer()) }))
    for (const [digest, expiresAt] of revoked) if (expiresAt <= now) revoked.delete(digest)
    for (const { digest, expiresAt } of ended.sessions) revoked.set(digest, expiresAt)
    for (const record of changed.people) learnPerson(record)
    asOf = { sessions: ended.asOf, people: changed.asOf }
    askedAt = now
  }).pipe(
    Effect.catchTag("StorageFailed", (failure) =>
      Effect.gen(function* () {
        if (asOf === undefined) return yield* failure
        askedAt = yield* Clock.currentTimeMillis
        yield* Effect.annotateLogs(
          Effect.logWarning(
            "The list of ended sessions and blocked people is not read anew: the storage does not answer."
          ),
          failureFields(failure)
        )
      })
    )
  )

  return {
    revoked,
    people,
    learnPerson,
    /**
     * Reads the list again if it is older than `maxAgeMs`. Requests that come during the read wait for the same answer.
     */
    refresh: Effect.fnUntraced(function* (maxAgeMs: number) {
      const isDue = Effect.map(Clock.currentTimeMillis, (now) => now - askedAt >= maxAgeMs || now < askedAt)
      if (yield* isDue) yield* alone.withPermits(1)(Effect.when(read, isDue))
    })
  }
})

const make = Effect.gen(function* () {
  const { learnPerson, people, refresh, revoked } = yield* makeList
  const digests = new Map<UserId, string>()

  const digestOf = Effect.fnUntraced(function* (userId: UserId) {
    const known = digests.get(userId)
    if (known !== undefined) return known
    const digest = yield* sha256OfText(userId)
    if (digests.size >= MOST_DIGESTS) digests.delete(digests.keys().next().value as UserId)
    digests.set(userId, digest)
    return digest
  })
  const recordOf = Effect.fnUntraced(function* (userId: UserId) {
    return people.size === 0 ? undefined : people.get(yield* digestOf(userId))
  })
  const refuseBlocked = Effect.fnUntraced(function* (userId: UserId) {
    const record = yield* recordOf(userId)
    if (record?.blockedAt !== undefined) return yield* new UserBlocked({ userId })
    return record
  })
  const isRevoked = Effect.fnUntraced(function* (token: string) {
    return revoked.size > 0 && revoked.has(yield* sha256OfText(token))
  })
  const signedOut = (userId: UserId) => new SessionInvalid({ problem: "signed-out", userId })

  return AccessList.of({
    check: Effect.fnUntraced(function* ({ issuedAt, token, userId }) {
      yield* refresh(RELIED_ON_MS)
      if (token !== undefined && (yield* isRevoked(token))) return yield* signedOut(userId)
      const record = yield* refuseBlocked(userId)
      if (record !== undefined && isEnded(record, issuedAt)) return yield* signedOut(userId)
    }),
    checkPerson: Effect.fnUntraced(function* (userId) {
      yield* refresh(RELIED_ON_MS)
      yield* refuseBlocked(userId)
    }),
    isRevoked: Effect.fnUntraced(function* (token) {
      yield* refresh(RELIED_ON_MS)
      return yield* isRevoked(token)
    }),
    blockedAmong: Effect.fnUntraced(function* (userIds, maxAgeMs) {
      yield* refresh(maxAgeMs)
      const blocked = new Set<UserId>()
      for (const userId of people.size === 0 ? [] : userIds) {
        if ((yield* recordOf(userId))?.blockedAt !== undefined) blocked.add(userId)
      }
      return blocked
    }),
    learn: (change) =>
      Effect.sync(() => {
        if ("person" in change) learnPerson(change.person)
        else revoked.set(change.session.digest, change.session.expiresAt)
      })
  })
})
