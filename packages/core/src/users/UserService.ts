import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { BillingStore } from "../billing/BillingStore.ts"
import type { PaymentFailed } from "../billing/errors.ts"
import { PaymentGateway } from "../billing/PaymentGateway.ts"
import { CreditLedger } from "../credits/CreditLedger.ts"
import type { HoldsOpen } from "../credits/errors.ts"
import { CrmRelease } from "../crm/CrmRelease.ts"
import { closeOperation } from "../credits/rules/closeAccount.ts"
import { Catalog, lowestTier } from "../tiers/Catalog.ts"
import type { UserId } from "../identity/UserId.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { UserNotFound } from "./errors.ts"
import { type StoredData, PersonalData } from "./PersonalData.ts"

/** What an erased person's rows of the ledger name: this and a random identifier. */
export const PSEUDONYM_PREFIX = "erased:"

const inUse = () =>
  new StorageFailed({
    operation: "UserService.erase",
    retryable: true,
    cause: new Error("The account came into use again after it was closed.")
  })

/** Who has a person erased, and why. */
export interface ErasureAsked {
  readonly by: string
  readonly reason: string | undefined
}

export interface ErasedUser extends StoredData {
  /** Whose the rows of the ledger are from now on. */
  readonly pseudonym: string
}

/** What operators do with people. */
export class UserService extends Context.Service<
  UserService,
  {
    /** How much is stored about a person. */
    find(userId: UserId): Effect.Effect<StoredData, UserNotFound | StorageFailed>
    /**
     * Erases a person: closes the account, whose remaining credits are forfeited and whose debt is written off, removes
     * everything else that is stored about the person, and gives the ledger's rows a random pseudonym. Who signs in
     * under the same identity later is somebody new. Subscriptions that go on are ended at the payment provider first, at
     * once and without a refund: where it does not answer, nothing is erased. Connections to CRMs are taken back at their
     * providers afterwards, for a day where those cannot be reached. Enters who asked for it, and no name. Fails with `HoldsOpen` while a reply is being written, and changes
     * nothing then; safe to repeat after a failure.
     */
    erase(
      userId: UserId,
      asked?: ErasureAsked
    ): Effect.Effect<ErasedUser, UserNotFound | HoldsOpen | PaymentFailed | StorageFailed>
  }
>()("@parley/core/users/UserService") {
  static readonly layer = Layer.effect(
    UserService,
    Effect.gen(function* () {
      const data = yield* PersonalData
      const audit = yield* AuditLog
      const billing = yield* BillingStore
      const crm = yield* CrmRelease
      const gateway = yield* PaymentGateway
      const ids = yield* IdGenerator
      const jobs = yield* JobQueue
      const ledger = yield* CreditLedger
      const unitOfWork = yield* UnitOfWork
      const lowest = lowestTier(yield* Catalog).name

      /** Closes the account, or does nothing where there is none. */
      const close = Effect.fnUntraced(function* (userId: UserId) {
        const key = `closed:${yield* ids.next}`
        return yield* ledger.run(closeOperation({ userId, key, lowest })).pipe(
          Effect.asVoid,
          Effect.catchTag("AccountNotFound", () => Effect.void),
          Effect.catchTag(["InvalidAmount", "KeyConflict"], Effect.die)
        )
      })

      /** Fails where nothing is stored. */
      const known = <A extends StoredData>(userId: UserId, data: A) =>
        data.chats + data.documents + data.transactions === 0
          ? Effect.fail(new UserNotFound({ userId }))
          : Effect.succeed(data)

      /** All of it, or nothing: what is refused half-way leaves the account as it was, open. */
      const eraseAtOnce = Effect.fnUntraced(function* (
        userId: UserId,
        pseudonym: string,
        { by, reason }: ErasureAsked
      ) {
        yield* data.begin(userId)
        yield* close(userId)
        const follow = yield* crm.ofPerson(userId)
        const erased = yield* data.erase({ userId, pseudonym })
        if (erased._tag === "AccountInUse") return yield* inUse()
        yield* jobs.removeAll(userId)
        yield* audit.record({ action: "users delete", by, userId: pseudonym, reason, details: "" })
        return { erased, follow }
      })

      /** Nobody goes on paying for what is no more theirs. One that has ended there, or never was, is as it is to be. */
      const endSubscriptions = Effect.fnUntraced(function* (userId: UserId) {
        const { subscriptions } = yield* billing.account(userId)
        for (const { endedAt, id } of subscriptions) {
          if (endedAt !== undefined) continue
          yield* Effect.catchTag(gateway.endSubscription(id), "PaymentObjectNotFound", () => Effect.void)
        }
      })

      return UserService.of({
        find: (userId) => Effect.flatMap(data.count(userId), (found) => known(userId, found)),
        erase: Effect.fn("UserService.erase")(function* (userId, asked = { by: "an application", reason: undefined }) {
          yield* endSubscriptions(userId)
          const pseudonym = `${PSEUDONYM_PREFIX}${yield* ids.next}`
          const answer = yield* unitOfWork.run(userId, eraseAtOnce(userId, pseudonym, asked))
          yield* answer.follow
          const { _tag, ...erased } = yield* known(userId, answer.erased)
          return { pseudonym, ...erased }
        })
      })
    })
  )
}
