import { Context, Effect, Layer, Schema } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { UserId } from "../identity/UserId.ts"
import { type AccessChange, type AccessRecord, AccessStore } from "../sessions/AccessStore.ts"
import { AccessList } from "../sessions/AccessList.ts"
import { inputsOf } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"

/** The operator who asks for an action, and the reason, for the audit log. */
export const ActionAsked = Schema.Struct({
  by: Schema.NonEmptyString,
  reason: Schema.optional(Schema.String)
})
export type ActionAsked = typeof ActionAsked.Type

/** A person's access. Times are in Unix milliseconds. */
export interface AccessState {
  /** When the person was blocked; undefined if the person is not blocked. */
  readonly blockedAt: number | undefined
  /** Sessions that began earlier are refused; undefined if none are. */
  readonly notBefore: number | undefined
}

const BY_AN_APPLICATION: ActionAsked = { by: "an application" }

const stateOf = (record: AccessRecord | undefined): AccessState => ({
  blockedAt: record?.blockedAt,
  notBefore: record?.notBefore
})

/**
 * Ends people's access, and restores it. This process refuses at once, every other one within two seconds. Each action is
 * recorded in the audit log, in the same transaction. The ids need not be known yet.
 */
export class UserAccess extends Context.Service<
  UserAccess,
  {
    /**
     * Refuses all requests of a person, who gets the error `blocked` (403), and all messages to the person's bots, whose
     * visitors get the bot's decline. Ends running replies that the person pays for or reads: what was delivered is
     * charged.
     */
    block(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** Lifts a block. Sessions that have not expired count again. */
    unblock(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /**
     * Ends all sessions of a person: tokens that were issued before now, or do not say when, are refused. Running replies
     * continue. The person can sign in again.
     */
    signOutEverywhere(userId: UserId, asked?: ActionAsked): Effect.Effect<AccessState, StorageFailed>
    /** A person's access. */
    access(userId: UserId): Effect.Effect<AccessState, StorageFailed>
  }
>()("@parley/core/users/UserAccess") {
  static readonly inputs = inputsOf<UserAccess["Service"]>()({
    block: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    unblock: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    signOutEverywhere: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    access: [{ userId: UserId }]
  })
  static readonly layer = Layer.effect(
    UserAccess,
    Effect.gen(function* () {
      const accessList = yield* AccessList
      const audit = yield* AuditLog
      const store = yield* AccessStore
      const unitOfWork = yield* UnitOfWork

      const change = (change: AccessChange) =>
        Effect.fn(`UserAccess.${change}`)(function* (userId: UserId, { by, reason }: ActionAsked = BY_AN_APPLICATION) {
          const entry = { action: `users ${change}`, by, userId, reason, details: "" }
          const work = Effect.tap(store.change({ userId, change }), () => audit.record(entry))
          const person = yield* unitOfWork.run(userId, work)
          yield* accessList.learn({ person })
          return stateOf(person)
        })

      return UserAccess.of({
        block: change("block"),
        unblock: change("unblock"),
        signOutEverywhere: change("sign-out"),
        access: Effect.fn("UserAccess.access")(function* (userId) {
          return stateOf(yield* store.find(userId))
        })
      })
    })
  )
}
