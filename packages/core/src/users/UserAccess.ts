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

/** The state of a person's access. Times are in Unix milliseconds. */
export interface AccessState {
  /** The time at which the person was blocked; undefined if the person is not blocked. */
  readonly blockedAt: number | undefined
  /** Sessions that began before this time are refused; undefined if there is no such time. */
  readonly notBefore: number | undefined
}

/** Selects people. */
export const PeopleAsked = Schema.Struct({
  /**
   * A part of the id, in upper or lower case; or the whole id of the customer at the payment provider; or the whole
   * address with which the person signs in by e-mail. All people if absent.
   */
  search: Schema.optional(Schema.String),
  /** True: only blocked people. False unless given. */
  blocked: Schema.optional(Schema.Boolean),
  /** The `next` of the previous page. */
  after: Schema.optional(Id),
  /** The maximum number of people: 100 unless given, at most 1,000. */
  limit: Schema.optional(PageLimit)
})
export type PeopleAsked = typeof PeopleAsked.Type

/** A page of people, in the order of their ids. */
export interface PeoplePage {
  readonly people: ReadonlyArray<ListedPerson>
  /** The position of the next page; undefined on the last page. */
  readonly next: string | undefined
}

const PAGE = 100

const EVENTS = { block: "blocked", unblock: "unblocked", "sign-out": "sessions_ended" } as const

const stateOf = (record: AccessRecord | undefined): AccessState => ({
  blockedAt: record?.blockedAt,
  notBefore: record?.notBefore
})

/**
 * Ends and restores people's access, and lists people. This process applies a change at once, every other process
 * within two seconds. Each action is recorded in the audit log, in the same transaction. A person can be blocked before
 * their first sign-in.
 */
export class UserAccess extends Context.Service<
  UserAccess,
  {
    /**
     * Refuses all requests of a person with the error `blocked` (403), and all messages to the person's bots, whose
     * visitors get the bot's decline. Ends running replies that the person pays for or reads; their delivered text is
     * charged.
     */
    block(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** Lifts a block. Sessions that have not expired are valid again. */
    unblock(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /**
     * Ends all sessions of a person: tokens that were issued before now, or that do not contain the time of their
     * issue, are refused. Running replies continue. The person can sign in again.
     */
    signOutEverywhere(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** Returns the state of a person's access. */
    access(userId: UserId): Effect.Effect<AccessState, StorageFailed>
    /** Lists the people with an account, and those whose access was ended, without erased people. */
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
          // An erasure, which keeps a block on the mailbox, either sees this change or runs before it.
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
