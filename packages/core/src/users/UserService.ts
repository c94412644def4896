import { Context, Data, Effect, Layer, Schedule, Schema } from "effect"
import { ActionAsked, BY_THE_PERSON } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { BillingStore } from "../billing/BillingStore.ts"
import type { PaymentFailed } from "../billing/errors.ts"
import { PaymentGateway } from "../billing/provider/PaymentGateway.ts"
import { CreditLedger } from "../credits/CreditLedger.ts"
import type { HoldsOpen } from "../credits/errors.ts"
import { CrmRelease } from "../crm/CrmRelease.ts"
import { closeAccount } from "../credits/rules/openAndClose.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { lowestTier } from "../tiers/CatalogData.ts"
import { RunningReplies } from "../chat/reply/RunningReplies.ts"
import { RequestOrigin } from "../identity/RequestOrigin.ts"
import { UserId } from "../identity/UserId.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { inputsOf } from "../storage/inputs.ts"
import { StorageFailed } from "../storage/StorageFailed.ts"
import { AccessList } from "../sessions/AccessList.ts"
import { AccessStore } from "../sessions/AccessStore.ts"
import { mailboxOf, SignInStore } from "../signin/SignInStore.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { type ErasureLimited, UserNotFound } from "./errors.ts"
import { makeHoldAll } from "./holdAll.ts"
import { type ErasureLimit, makeOwnErasures, UNLIMITED } from "./ownErasures.ts"
import { type StoredData, PersonalData } from "./PersonalData.ts"

/** The prefix of the pseudonym of an erased person in the ledger; a random identifier follows. */
export const PSEUDONYM_PREFIX = "erased:"

/**
 * The maximum time that an erasure waits for the end of the person's running replies; `TRY_EVERY` is the interval of
 * its tries.
 */
const REPLIES_END_WITHIN = "10 seconds"
const TRY_EVERY = "200 millis"

const inUse = () =>
  new StorageFailed({
    operation: "UserService.erase",
    retryable: true,
    cause: new Error("The account came into use again after it was closed.")
  })

/** A subscription of the person was reported after the others had been ended. */
class SubscribedMeanwhile extends Data.TaggedError("SubscribedMeanwhile") {}

export interface ErasedUser extends StoredData {
  /** The new owner of the ledger's rows. */
  readonly pseudonym: string
}

/** Makes a function that closes an account, if there is one. */
const makeClose = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const ledger = yield* CreditLedger
  const lowest = lowestTier(yield* Catalog).name
  return Effect.fnUntraced(function* (userId: UserId) {
    const key = `closed:${yield* ids.next}`
    return yield* ledger.run(closeAccount({ userId, key, lowest })).pipe(
      Effect.asVoid,
      Effect.catchTag("AccountNotFound", () => Effect.void),
      Effect.catchTag(["InvalidAmount", "KeyConflict"], Effect.die)
    )
  })
})

/**
 * Makes a function that blocks the mailbox of a blocked person, who could otherwise sign in with it as a new person.
 */
const makeKeepBlock = Effect.gen(function* () {
  const access = yield* AccessStore
  return Effect.fnUntraced(function* (userId: UserId, email: string) {
    if ((yield* access.find(userId))?.blockedAt === undefined) return
    const mailbox = yield* mailboxOf(email)
    // A sign-in that has proved the address either ends before this, or sees the block.
    yield* access.lock(mailbox)
    yield* access.change({ userId: mailbox, change: "block" })
  })
})

/** Makes the functions with which an erasure ends the person's payments. */
const makePayments = Effect.gen(function* () {
  const billing = yield* BillingStore
  const gateway = yield* PaymentGateway

  /** Returns the ids of subscriptions that continue, according to the reports so far. */
  const running = (userId: UserId) =>
    Effect.map(billing.account(userId), ({ subscriptions }) =>
      subscriptions.flatMap(({ endedAt, id }) => (endedAt === undefined ? [id] : []))
    )

  /** Closes open checkout pages, to prevent further purchases. Without a key for payments there are no pages. */
  const closePages = Effect.fnUntraced(function* (userId: UserId) {
    const { customerId } = yield* billing.account(userId)
    if (customerId === undefined) return
    yield* Effect.catchTag(gateway.closeCheckouts({ customerId }), "PaymentsNotConfigured", () => Effect.void)
  })

  /**
   * Ends the running subscriptions, so that an erased person does not pay any more. A subscription that the provider
   * does not have has ended already.
   */
  const endSubscriptions = (userId: UserId, ended: Set<string>) =>
    Effect.gen(function* () {
      for (const id of yield* running(userId)) {
        if (ended.has(id)) continue
        yield* Effect.catchTag(gateway.endSubscription(id), "PaymentObjectNotFound", () => Effect.void)
        ended.add(id)
      }
    })

  /** Returns true if the payment provider knows the person, who may have no other data here. */
  const isCustomer = (userId: UserId) =>
    Effect.map(
      billing.account(userId),
      ({ customerId, subscriptions }) => customerId !== undefined || subscriptions.length > 0
    )

  return { running, closePages, endSubscriptions, isCustomer }
})

/** Fails with `UserNotFound` if no data is stored. */
const known = <A extends StoredData>(userId: UserId, data: A, isKnown: boolean) =>
  isKnown || data.chats + data.documents + data.transactions > 0
    ? Effect.succeed(data)
    : Effect.fail(new UserNotFound({ userId }))

/** An erasure that is running. */
interface Erasure {
  readonly userId: UserId
  readonly pseudonym: string
  readonly asked: ActionAsked
  readonly limit: ErasureLimit
  /** The subscriptions that the erasure has ended at the payment provider. */
  readonly ended: Set<string>
  /** Releases the credits that are held during the erasure. */
  readonly releaseCredits: Effect.Effect<void, StorageFailed>
}

/** Makes a function that erases in one transaction: a refusal leaves the account open and unchanged. */
const makeEraseAtOnce = Effect.gen(function* () {
  const data = yield* PersonalData
  const audit = yield* AuditLog
  const crm = yield* CrmRelease
  const jobs = yield* JobQueue
  const signIns = yield* SignInStore
  const close = yield* makeClose
  const keepBlock = yield* makeKeepBlock
  const { running } = yield* makePayments
  return Effect.fnUntraced(function* (erasure: Erasure) {
    const { asked, ended, limit, pseudonym, userId } = erasure
    yield* data.begin(userId)
    const address = yield* signIns.find(userId)
    yield* limit.refuse(userId)
    if ((yield* running(userId)).some((id) => !ended.has(id))) return yield* new SubscribedMeanwhile()
    yield* erasure.releaseCredits
    yield* close(userId)
    const follow = yield* crm.ofPerson(userId)
    if (address !== undefined) yield* keepBlock(userId, address.email)
    const erased = yield* data.erase({ userId, pseudonym })
    if (erased._tag === "AccountInUse") return yield* inUse()
    yield* known(userId, erased, address !== undefined || erased.others > 0)
    yield* jobs.removeAll(userId)
    yield* audit.record({ action: "users delete", by: asked.by, userId: pseudonym, reason: asked.reason, details: "" })
    yield* limit.remember(userId, address?.email)
    return { erased, follow }
  })
})

type ErasureRefused = UserNotFound | HoldsOpen | PaymentFailed | StorageFailed

/** The operations on a person as a whole. */
export class UserService extends Context.Service<
  UserService,
  {
    /** Returns the amount of stored data about a person. */
    find(userId: UserId): Effect.Effect<StoredData, UserNotFound | StorageFailed>
    /**
     * Erases a person: closes the account, removes its remaining credits and its debt, removes all other data about the
     * person, and gives the ledger's rows a random pseudonym. A person who signs in with the same identity later is a
     * new person. Before that, open checkout pages at the payment provider are closed and subscriptions ended, at once
     * and without a refund; if the provider does not answer, nothing is erased. Afterwards connections to CRMs are
     * revoked at their providers, with retries for a day. The request is recorded in the audit log without the person's
     * name. This process refuses the person's sessions at once, every other process within two seconds. Fails with
     * `HoldsOpen`, without a change, while a reply is being written; safe to repeat after a failure.
     */
    erase(userId: UserId, asked?: ActionAsked): Effect.Effect<ErasedUser, ErasureRefused>
    /**
     * Erases a person at their own request. Unlike `erase`, it first ends the person's running replies, whose delivered
     * text is charged. It fails with `ErasureLimited` for 30 days after such an erasure of the same identity or
     * mailbox, because a new account gets a first allowance. Fails with `HoldsOpen` if work of another kind still holds
     * credits after ten seconds. The security event contains neither the address nor the browser of the request.
     */
    eraseOneself(userId: UserId): Effect.Effect<ErasedUser, ErasureRefused | ErasureLimited>
  }
>()("@parley/core/users/UserService") {
  static readonly inputs = inputsOf<UserService["Service"]>()({
    find: [{ userId: UserId }],
    erase: [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }],
    eraseOneself: [{ userId: UserId }]
  })
  static readonly layer = Layer.effect(
    UserService,
    Effect.gen(function* () {
      const data = yield* PersonalData
      const signIns = yield* SignInStore
      const { isCustomer } = yield* makePayments
      const erase = yield* makeErase
      const ownErasures = yield* makeOwnErasures
      const replies = yield* RunningReplies

      return UserService.of({
        find: Effect.fn("UserService.find")(function* (userId) {
          const isKnown = (yield* signIns.find(userId)) !== undefined || (yield* isCustomer(userId))
          return yield* known(userId, yield* data.count(userId), isKnown)
        }),
        erase: Effect.fn("UserService.erase")((userId, asked = { by: "an application", reason: undefined }) =>
          Effect.catchTag(erase(userId, asked, UNLIMITED), "ErasureLimited", Effect.die)
        ),
        eraseOneself: Effect.fn("UserService.eraseOneself")((userId) => {
          const attempt = Effect.andThen(
            // The limit is checked first, so that a refused erasure ends neither a reply nor a plan.
            Effect.andThen(ownErasures.refuse(userId), replies.askAllToStop(userId)),
            erase(userId, { by: BY_THE_PERSON, reason: undefined }, ownErasures)
          )
          return attempt.pipe(
            Effect.retry({
              while: ({ _tag }) => _tag === "HoldsOpen",
              schedule: Schedule.upTo(Schedule.spaced(TRY_EVERY), { duration: REPLIES_END_WITHIN })
            }),
            // The event is stored for longer than the person's data, so it must not identify the person.
            Effect.provideService(RequestOrigin, undefined)
          )
        })
      })
    })
  )
}

/** Makes the whole erasure: the calls to the payment provider, the transaction, and the work after it. */
const makeErase = Effect.gen(function* () {
  const access = yield* AccessStore
  const accessList = yield* AccessList
  const data = yield* PersonalData
  const ids = yield* IdGenerator
  const eraseAtOnce = yield* makeEraseAtOnce
  const holdAll = yield* makeHoldAll
  const { closePages, endSubscriptions } = yield* makePayments
  const security = yield* SecurityEvents
  const unitOfWork = yield* UnitOfWork

  /** Erases; repeats the erasure if a subscription was reported after the others had been ended at the provider. */
  const eraseEnded = (
    erasure: Erasure
  ): Effect.Effect<Effect.Success<ReturnType<typeof eraseAtOnce>>, ErasureRefused | ErasureLimited> =>
    Effect.gen(function* () {
      yield* endSubscriptions(erasure.userId, erasure.ended)
      return yield* unitOfWork.run(erasure.userId, eraseAtOnce(erasure))
    }).pipe(Effect.catchTag("SubscribedMeanwhile", () => eraseEnded(erasure)))

  const carryOut = Effect.fnUntraced(function* (userId: UserId, asked: ActionAsked, limit: ErasureLimit) {
    const releaseCredits = yield* holdAll(userId)
    const pseudonym = `${PSEUDONYM_PREFIX}${yield* ids.next}`
    const ending = eraseEnded({ userId, pseudonym, asked, limit, ended: new Set(), releaseCredits })
    // If this process cannot release the credits, a sweeper does.
    const answer = yield* Effect.onError(Effect.andThen(closePages(userId), ending), () =>
      Effect.ignore(releaseCredits)
    )
    yield* answer.follow
    const learned = Effect.flatMap(access.find(userId), (person) =>
      person === undefined ? Effect.void : accessList.learn({ person })
    )
    // The person is erased even if this fails; the process then reads of the erasure within two seconds, as all others
    // do.
    yield* Effect.ignore(learned)
    yield* security.record({ event: "erased", userId: pseudonym })
    const { _tag, others: _others, ...erased } = answer.erased
    return { pseudonym, ...erased }
  })

  return Effect.fnUntraced(function* (userId: UserId, asked: ActionAsked, limit: ErasureLimit) {
    // Checked before a plan is ended: neither a refused erasure nor a caller who disconnects may have ended a plan.
    yield* unitOfWork.run(userId, data.begin(userId))
    return yield* Effect.uninterruptible(carryOut(userId, asked, limit))
  })
})
