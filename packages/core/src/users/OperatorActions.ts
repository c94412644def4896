import { Clock, Context, Effect, Layer } from "effect"
import type { ActionAsked } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import type { BoughtCredits } from "../billing/BillingAccount.ts"
import { BillingStore } from "../billing/BillingStore.ts"
import type { ActionRefusal } from "../billing/inbox/creditActions.ts"
import { CreditService } from "../credits/CreditService.ts"
import { type AccountNotFound, type InvalidAmount, type KeyConflict, PurchaseNotFound } from "../credits/errors.ts"
import type { PurchaseRefusal } from "../credits/rules/grantsAndCorrections.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import type { TierName } from "../tiers/Tier.ts"
import { AuditedActions } from "./AuditedActions.ts"
import { OperatorTiers } from "./OperatorTiers.ts"

/** The person whom an action affects, and the operator who asks for it. */
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
 * What operators do with the credits and the tier of a person who has an account. Each action and its entry in the audit
 * log are one transaction; a repeated grant or correction is entered once.
 */
export class OperatorActions extends Context.Service<
  OperatorActions,
  {
    /** Grants credits that never expire; the same key grants them once. */
    grant(
      input: Asked & { readonly amount: number; readonly key: string }
    ): Effect.Effect<Transaction, CorrectionRefused>
    /** Corrects a balance; credits that are not there become debt. The same key corrects it once. */
    adjust(input: Asked & AdjustInput): Effect.Effect<Transaction, CorrectionRefused>
    /** The purchase of a payment or a checkout session. */
    purchase(
      userId: UserId,
      payment: string
    ): Effect.Effect<BoughtCredits & { readonly charge: string }, PurchaseNotFound | StorageFailed>
    /**
     * Takes back the credits of a purchase that was refunded outside the payment provider. `refunded` is the total, in the
     * smallest unit of the currency; undefined for all of it. Moves no money.
     */
    refund(
      input: Asked & { readonly payment: string; readonly refunded: number | undefined }
    ): Effect.Effect<Transaction, PurchaseNotFound | PurchaseRefusal | StorageFailed>
    /** Sets the tier: see `OperatorTiers.set`. */
    setTier(
      input: Asked & { readonly tier: TierName; readonly pin: boolean }
    ): Effect.Effect<Transaction | undefined, UnknownTier | CorrectionRefused>
    /** Lets billing decide over the tier again. */
    unpinTier(input: Asked): Effect.Effect<void, ActionRefusal | StorageFailed>
  }
>()("@parley/core/users/OperatorActions") {
  static readonly layer = Layer.effect(
    OperatorActions,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const actions = yield* AuditedActions
  const audit = yield* AuditLog
  const billing = yield* BillingStore
  const credits = yield* CreditService
  const tiers = yield* OperatorTiers
  const unitOfWork = yield* UnitOfWork

  const audited = <A, E>({ asked, userId }: Asked, action: string, details: string, work: Effect.Effect<A, E>) => {
    const { address, by, reason } = asked
    const entry = { action, by, userId, reason, details, address }
    return unitOfWork.run(
      userId,
      Effect.tap(work, () => audit.record(entry))
    )
  }
  /** A repeated correction changes nothing, and is entered once. */
  const adjust = Effect.fnUntraced(function* (input: Asked & AdjustInput) {
    const { amount, key, reason, userId } = input
    const adjusting = credits.adjust({ userId, key, amount, reason })
    if ((yield* credits.done(userId, key)) !== undefined) return yield* adjusting
    return yield* audited(input, "credits adjust", `${amount} credits under the key ${key}`, adjusting)
  })
  const purchase = Effect.fnUntraced(function* (userId: UserId, payment: string) {
    const all = yield* billing.bought(userId)
    const found = all.find(({ paymentId, sessionId }) => paymentId === payment || sessionId === payment)
    if (found?.paymentId === undefined) return yield* new PurchaseNotFound({ userId, charge: payment })
    return { ...found, charge: found.paymentId }
  })

  return OperatorActions.of({
    grant: Effect.fn("OperatorActions.grant")(({ asked, ...grant }) => actions.grant(grant, asked)),
    adjust: Effect.fn("OperatorActions.adjust")(adjust),
    purchase,
    refund: Effect.fn("OperatorActions.refund")(function* ({ payment, refunded, ...who }) {
      const { userId } = who
      const { charge, granted, paid } = yield* purchase(userId, payment)
      const part = refunded ?? paid
      const reportedAt = yield* Clock.currentTimeMillis
      const report = { userId, charge, granted, paid, refunded: part, reportedAt, by: "operator" } as const
      return yield* audited(who, "credits refund", `${part} of ${paid} of ${charge}`, credits.refund(report))
    }),
    setTier: Effect.fn("OperatorActions.setTier")(({ pin, tier, ...who }) =>
      audited(who, "users tier", pin ? `${tier}, pinned` : tier, tiers.set({ userId: who.userId, tier, pin }))
    ),
    unpinTier: Effect.fn("OperatorActions.unpinTier")((who) =>
      audited(who, "users tier", "unpinned", tiers.unpin(who.userId))
    )
  })
})
