import { Clock, Context, Effect, Layer } from "effect"
import type { ActionAsked } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import type { BoughtCredits } from "../billing/BillingAccount.ts"
import { BillingStore } from "../billing/BillingStore.ts"
import type { ActionRefusal } from "../billing/inbox/creditActions.ts"
import { CreditRecords } from "../credits/CreditLedger.ts"
import { CreditService } from "../credits/CreditService.ts"
import { type AccountNotFound, type InvalidAmount, type KeyConflict, PurchaseNotFound } from "../credits/errors.ts"
import type { PurchaseRefusal } from "../credits/rules/grantsAndCorrections.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import { AccessStore } from "../sessions/AccessStore.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import type { TierName } from "../tiers/Tier.ts"
import { OperatorTiers } from "./OperatorTiers.ts"

/** The affected person, and the operator who requests the action. */
interface Asked {
  readonly userId: UserId
  readonly asked: ActionAsked
}

interface AdjustInput {
  readonly amount: number
  readonly key: string
  readonly reason: string
}

type CorrectionRefused = AccountNotFound | KeyConflict | InvalidAmount | StorageFailed

/**
 * Changes that operators and back ends make to the credits and the tier of a person who has an account. Each change and
 * its entry in the audit log are one transaction. A repeated grant or correction changes nothing, and is entered only
 * once.
 */
export class OperatorActions extends Context.Service<
  OperatorActions,
  {
    /** Grants credits that never expire; the same key grants them once. */
    grant(
      input: Asked & { readonly amount: number; readonly key: string }
    ): Effect.Effect<Transaction, CorrectionRefused>
    /**
     * Corrects a balance; the part of a negative amount that exceeds the balance becomes debt. The same key corrects
     * the balance once.
     */
    adjust(input: Asked & AdjustInput): Effect.Effect<Transaction, CorrectionRefused>
    /** Finds the purchase of a payment or of a checkout session. */
    purchase(
      userId: UserId,
      payment: string
    ): Effect.Effect<BoughtCredits & { readonly charge: string }, PurchaseNotFound | StorageFailed>
    /**
     * Takes back the credits of a purchase that was refunded outside of the payment provider. `refunded` is the total,
     * in the smallest unit of the currency; undefined if the whole purchase was refunded. Transfers no money.
     */
    refund(
      input: Asked & { readonly payment: string; readonly refunded: number | undefined }
    ): Effect.Effect<Transaction, PurchaseNotFound | PurchaseRefusal | StorageFailed>
    /** Sets the tier: see `OperatorTiers.set`. Without `pin`, setting the present tier again changes nothing. */
    setTier(
      input: Asked & { readonly tier: TierName; readonly pin: boolean; readonly period: "new" | "current" }
    ): Effect.Effect<Transaction | undefined, UnknownTier | CorrectionRefused>
    /** Removes the pin, so that payment events change the tier again. */
    unpinTier(input: Asked): Effect.Effect<void, ActionRefusal | StorageFailed>
  }
>()("@parley/core/users/OperatorActions") {
  static readonly layer = Layer.effect(
    OperatorActions,
    Effect.suspend(() => make)
  )
}

/** Makes the functions that do work in one transaction with its entry in the audit log. */
const makeAudited = Effect.gen(function* () {
  const access = yield* AccessStore
  const audit = yield* AuditLog
  const records = yield* CreditRecords
  const unitOfWork = yield* UnitOfWork

  const enter = ({ asked: { address, by, reason }, userId }: Asked, action: string, details: string) =>
    audit.record({ action, by, userId, reason, details, address })
  const audited = <A, E>(who: Asked, action: string, details: string, work: Effect.Effect<A, E>) =>
    unitOfWork.run(
      who.userId,
      Effect.tap(work, () => enter(who, action, details))
    )
  /**
   * Does work on a person with an account. Such work runs one after another for each person, so that it never runs at
   * the same time as an erasure or a repetition of itself.
   */
  const alone = <A, E>(userId: UserId, work: Effect.Effect<A, E>) =>
    unitOfWork.run(userId, access.lock(userId).pipe(Effect.andThen(records.account(userId)), Effect.andThen(work)))
  return { alone, audited, enter }
})

const make = Effect.gen(function* () {
  const { alone, audited, enter } = yield* makeAudited
  const billing = yield* BillingStore
  const credits = yield* CreditService
  const tiers = yield* OperatorTiers

  /** Moves credits under a key; only the first call is entered in the audit log. */
  const moving = <A, E>(
    who: Asked & { readonly amount: number; readonly key: string },
    action: string,
    work: Effect.Effect<A, E>
  ) =>
    alone(
      who.userId,
      Effect.gen(function* () {
        const done = yield* credits.done(who.userId, who.key)
        const made = yield* work
        if (done === undefined) yield* enter(who, action, `${who.amount} credits under the key ${who.key}`)
        return made
      })
    )
  const purchase = Effect.fnUntraced(function* (userId: UserId, payment: string) {
    const all = yield* billing.bought(userId)
    const found = all.find(({ paymentId, sessionId }) => paymentId === payment || sessionId === payment)
    if (found?.paymentId === undefined) return yield* new PurchaseNotFound({ userId, charge: payment })
    return { ...found, charge: found.paymentId }
  })

  return OperatorActions.of({
    grant: Effect.fn("OperatorActions.grant")((input) => {
      const { amount, key, userId } = input
      // `PurchaseConflict` cannot occur, because this grant has no payment.
      const granting = Effect.catchTag(credits.grant({ userId, amount, key }), "PurchaseConflict", Effect.die)
      return moving(input, "credits grant", granting)
    }),
    adjust: Effect.fn("OperatorActions.adjust")((input) => {
      const { amount, key, reason, userId } = input
      return moving(input, "credits adjust", credits.adjust({ userId, key, amount, reason }))
    }),
    purchase,
    refund: Effect.fn("OperatorActions.refund")(function* ({ payment, refunded, ...who }) {
      const { userId } = who
      const { charge, granted, paid } = yield* purchase(userId, payment)
      const part = refunded ?? paid
      const reportedAt = yield* Clock.currentTimeMillis
      const report = { userId, charge, granted, paid, refunded: part, reportedAt, by: "operator" } as const
      return yield* audited(who, "credits refund", `${part} of ${paid} of ${charge}`, credits.refund(report))
    }),
    setTier: Effect.fn("OperatorActions.setTier")(({ period, pin, tier, ...who }) => {
      const { userId } = who
      const setting = Effect.gen(function* () {
        if (!pin && (yield* tiers.standing(userId)).tier === tier) return undefined
        const made = yield* tiers.set({ userId, tier, pin, period })
        yield* enter(who, "users tier", pin ? `${tier}, pinned` : tier)
        return made
      })
      return alone(userId, setting)
    }),
    unpinTier: Effect.fn("OperatorActions.unpinTier")((who) =>
      audited(who, "users tier", "unpinned", tiers.unpin(who.userId))
    )
  })
})
