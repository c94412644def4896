import { Context, Effect, Layer, Schema } from "effect"
import { ActionAsked, BY_AN_APPLICATION } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { UserId } from "../identity/UserId.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { type AccessChange, type AccessRecord, AccessStore } from "../sessions/AccessStore.ts"
import { AccessList } from "../sessions/AccessList.ts"
import { cursorOfText } from "../storage/Cursor.ts"
import { Id, type InvalidInput, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { type ListedPerson, PersonalData } from "./PersonalData.ts"

/** A person's access. Times are in Unix milliseconds. */
export interface AccessState {
  /** When the person was blocked; undefined if the person is not blocked. */
  readonly blockedAt: number | undefined
  /** Sessions that began earlier are refused; undefined if none are. */
  readonly notBefore: number | undefined
}

/** The people to list. */
export const PeopleAsked = Schema.Struct({
  /**
   * Part of the id, in any case, or the whole id of the payment provider's customer, or the whole address with which
   * the person signs in by e-mail. If it is absent, all people.
   */
  search: Schema.optional(Schema.String),
  /** Only blocked people; default false. */
  blocked: Schema.optional(Schema.Boolean),
  /** `next` of the page before. */
  after: Schema.optional(Id),
  /** The most people: 100 unless given, at most 1,000. */
  limit: Schema.optional(PageLimit)
})
export type PeopleAsked = typeof PeopleAsked.Type

/** A page of people, in the order of their ids. */
export interface PeoplePage {
  readonly people: ReadonlyArray<ListedPerson>
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined
}

const PAGE = 100

const EVENTS = { block: "blocked", unblock: "unblocked", "sign-out": "sessions_ended" } as const

const stateOf = (record: AccessRecord | undefined): AccessState => ({
  blockedAt: record?.blockedAt,
  notBefore: record?.notBefore
})

/**
 * Ends people's access, restores it, and lists people. This process refuses at once, every other one within two
 * seconds. Each action is recorded in the audit log, in the same transaction. A person can be blocked before their
 * first sign-in.
 */
export class UserAccess extends Context.Service<
  UserAccess,
  {
    /**
     * Refuses all requests of a person, who gets the error `blocked` (403), and all messages to the person's bots,
     * whose visitors get the bot's decline. Ends running replies that the person pays for or reads: what was delivered
     * is charged.
     */
    block(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** Lifts a block. Sessions that have not expired count again. */
    unblock(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /**
     * Ends all sessions of a person: tokens that were issued before now, or do not say when, are refused. Running
     * replies continue. The person can sign in again.
     */
    signOutEverywhere(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** A person's access. */
    access(userId: UserId): Effect.Effect<AccessState, StorageFailed>
    /** A page of the people with an account, and of those whose access was ended; no erased ones. */
    list(asked?: PeopleAsked): Effect.Effect<PeoplePage, InvalidInput | StorageFailed>
  }
>()("@parley/core/users/UserAccess") {
  static readonly inputs = inputsOf<UserAccess["Service"]>()({
    block: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    unblock: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    signOutEverywhere: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    access: [{ userId: UserId }],
    list: [{ asked: Schema.UndefinedOr(PeopleAsked) }]
  })
  static readonly layer = Layer.effect(
    UserAccess,
    Effect.gen(function* () {
      const accessList = yield* AccessList
      const audit = yield* AuditLog
      const data = yield* PersonalData
      const security = yield* SecurityEvents
      const store = yield* AccessStore
      const unitOfWork = yield* UnitOfWork

      const change = (change: AccessChange) =>
        Effect.fn(`UserAccess.${change}`)(function* (
          userId: UserId,
          { address, by, reason }: ActionAsked = BY_AN_APPLICATION
        ) {
          const entry = { action: `users ${change}`, by, userId, reason, details: "", address }
          // An erasure, which keeps a block on the mailbox, finds the change or runs before it.
          const changed = Effect.andThen(store.lock(userId), store.change({ userId, change }))
          const work = Effect.tap(changed, () => audit.record(entry))
          const person = yield* unitOfWork.run(userId, work)
          yield* accessList.learn({ person })
          yield* security.record({ event: EVENTS[change], userId })
          return stateOf(person)
        })

      return UserAccess.of({
        block: change("block"),
        unblock: change("unblock"),
        signOutEverywhere: change("sign-out"),
        access: Effect.fn("UserAccess.access")(function* (userId) {
          return stateOf(yield* store.find(userId))
        }),
        list: Effect.fn("UserAccess.list")(function* ({ after, blocked = false, limit = PAGE, search } = {}) {
          const { next, rows } = yield* data.list({ search, blocked, after: cursorOfText(after), limit })
          return { people: rows, next }
        })
      })
    })
  )
}
