import { Context, Effect, Layer } from "effect"
import { BY_AN_APPLICATION } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import type { SessionInvalid } from "../identity/SessionVerifier.ts"
import { UserId } from "../identity/UserId.ts"
import { type Cursor, ownCursor } from "../storage/Cursor.ts"
import { Id, inputsOf } from "../storage/inputs.ts"
import { mayLag } from "../storage/LaggingReads.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import {
  CreditLedger,
  CreditRecords,
  CreditUpkeep,
  transactionOf,
  type HistoryInput,
  type HistoryPage
} from "./CreditLedger.ts"
import { replyKey, restKey } from "./rules/decideReply.ts"
import { isOfReply, type ReplyReceipt, type Transaction } from "./Transaction.ts"
import { balanceOf, type Balance } from "./Account.ts"
import { Accounts } from "./Accounts.ts"
import type { AdjustInput, RefundInput } from "./Purchase.ts"
import { adjust, grant, refund, type GrantRefusal, type PurchaseRefusal } from "./rules/grantsAndCorrections.ts"
import { Adjustment, Grant, History, Refund, TierChoice, Usage } from "./creditInputs.ts"
import { type AccountNotFound, type InvalidAmount, InvalidUsageRange, KeyConflict, ReceiptNotFound } from "./errors.ts"
import type { OnceRefusal } from "./rules/journal.ts"
import { followPlan, type FollowPlanInput } from "./rules/followPlan.ts"
import { periodAt } from "./rules/period.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { lowestTier, unknownTier, type CatalogData } from "../tiers/CatalogData.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import { namesOf, type Tier, type TierName } from "../tiers/Tier.ts"
import { parseDay, type UsageRow } from "./UsageReport.ts"
import type { Difference } from "./upkeep/Verification.ts"

/** The cost of a reply. */
export interface ReplyCost {
  /** Whole credits: the sum of the charges of all holds of the reply. */
  readonly credits: number
  /** The receipt of the reply's last hold. If sweepers ended holds of the reply, each hold has a charge of its own. */
  readonly receipt: ReplyReceipt
}

/**
 * Returns the costs of replies by their message ids. If a sweeper ended a reply's hold, the reply's next hold is looked
 * up as well: the sweep charged only a part of the reply, or released the hold because no text was delivered.
 */
export const replyCosts = Effect.fnUntraced(function* (
  records: Pick<CreditRecords["Service"], "transactions">,
  userId: UserId,
  messageIds: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, ReplyCost>, StorageFailed> {
  const costs = new Map<string, ReplyCost>()
  let open = new Map(messageIds.map((id) => [replyKey(id), id.toLowerCase()]))
  for (let place = 1; open.size > 0; place++) {
    const found = yield* records.transactions(userId, [...open.keys()])
    const next = new Map<string, string>()
    for (const [key, id] of open) {
      const receipt = found.get(key)?.receipt
      if (receipt === undefined ? place === 1 : receipt.ended === "expired") {
        next.set(restKey(replyKey(id), place), id)
      }
      if (receipt === undefined || !isOfReply(receipt)) continue
      costs.set(id, { credits: (costs.get(id)?.credits ?? 0) + receipt.charged, receipt })
    }
    open = next
  }
  return costs
})

/** The number of accounts that are verified together. */
const ACCOUNTS_PER_CHUNK = 500
/** The maximum number of days in one usage report. */
const MAX_DAYS = 400

/** The change to a tier that an operator chose, at a time in Unix milliseconds, under an unused key. */
export const operatorPlan = (
  catalog: CatalogData,
  { key, userId, wanted }: { readonly userId: UserId; readonly wanted: Tier; readonly key: string },
  now: number
): FollowPlanInput => {
  const isLowest = wanted === lowestTier(catalog)
  const { end, start } = periodAt(now, now)
  return {
    userId,
    changeKey: isLowest ? key : `${key}:terms`,
    // A plan set by an operator begins periods of its own; the lowest tier grants nothing, and leaves at most its own
    // allowance.
    periodKey: isLowest ? undefined : key,
    terms: {
      tier: wanted.name,
      allowance: wanted.monthlyCredits,
      pendingTier: undefined,
      anchor: start,
      periodStart: start,
      nextResetAt: end,
      renewedBy: "schedule",
      renewedUntil: undefined
    }
  }
}

/**
 * Makes grants. A grant with a reason is written in one transaction with its entry in the audit log, unless it was made
 * before.
 */
const makeEntered = Effect.gen(function* () {
  const audit = yield* AuditLog
  const records = yield* CreditRecords
  const unitOfWork = yield* UnitOfWork
  return <A, E>(
    { amount, key, userId }: { readonly userId: UserId; readonly amount: number; readonly key: string },
    reason: string | undefined,
    granting: Effect.Effect<A, E>
  ): Effect.Effect<A, E | StorageFailed> => {
    if (reason === undefined) return granting
    const entry = { action: "credits grant", by: BY_AN_APPLICATION.by, userId, reason }
    const work = Effect.gen(function* () {
      const done = yield* transactionOf(records, userId, key)
      const made = yield* granting
      if (done === undefined) yield* audit.record({ ...entry, details: `${amount} credits under the key ${key}` })
      return made
    })
    return unitOfWork.run(userId, work)
  }
})

/** Operations on credits for people and operators. */
export class CreditService extends Context.Service<
  CreditService,
  {
    /** Returns a signed-in person's balance; opens an account if the person has none. */
    balance(userId: UserId): Effect.Effect<Balance, SessionInvalid | StorageFailed>
    /** Returns a balance; does not open an account. */
    find(userId: UserId): Effect.Effect<Balance, AccountNotFound | StorageFailed>
    /** A person's transactions, newest first. */
    history(input: HistoryInput): Effect.Effect<HistoryPage, AccountNotFound | StorageFailed>
    /**
     * Returns the usage charged to a person's account from one UTC day to another, such as `2026-11-30`: by day,
     * spender and model. Both days are included; at most 400 days.
     */
    usage(input: {
      readonly userId: UserId
      readonly from: string
      readonly to: string
    }): Effect.Effect<ReadonlyArray<UsageRow>, InvalidUsageRange | StorageFailed>
    /** The receipt of a reply, by the reply's message id. */
    receipt(userId: UserId, messageId: string): Effect.Effect<ReplyReceipt, ReceiptNotFound | StorageFailed>
    /** Returns the costs of replies, by their message ids in lower case; replies without a charge are left out. */
    replyCosts(
      userId: UserId,
      messageIds: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, ReplyCost>, StorageFailed>
    /** Returns the transaction under a business key; undefined if this person has none. */
    done(userId: UserId, key: string): Effect.Effect<Transaction | undefined, StorageFailed>
    /**
     * Grants `amount` credits that never expire; opens an account if there is none. The same `key` grants them once. A
     * grant with a `reason` is entered in the audit log, in the same transaction.
     */
    grant(input: {
      readonly userId: UserId
      readonly amount: number
      readonly key: string
      readonly reason?: string | undefined
    }): Effect.Effect<Transaction, GrantRefusal | StorageFailed>
    /**
     * Corrects the balance of an existing account. A negative amount takes credits; the part that exceeds the balance
     * becomes debt.
     */
    adjust(
      input: AdjustInput
    ): Effect.Effect<Transaction, AccountNotFound | KeyConflict | InvalidAmount | StorageFailed>
    /**
     * Sets a person's tier by hand; the monthly job renews it until a payment changes it. A higher tier begins a new
     * period at once, with its credits; the lowest tier leaves at most its own allowance. The same `key` changes the
     * tier once, and later calls return the first answer. Returns undefined if nothing changed. Opens the account if
     * there is none. Fails with `UnknownTier` if the catalog does not have the tier.
     */
    changeTier(input: {
      readonly userId: UserId
      readonly tier: TierName
      readonly key: string
    }): Effect.Effect<Transaction | undefined, OnceRefusal | UnknownTier | StorageFailed>
    /** Takes back the credits that the refunded part of a purchase had bought. */
    refund(input: RefundInput): Effect.Effect<Transaction, PurchaseRefusal | StorageFailed>
    /**
     * Recomputes every account from its rows, chunk by chunk; reports each chunk's differences, and returns the number
     * of accounts. With `since` (Unix milliseconds), earlier transactions are not checked.
     */
    verify(
      onDifferences: (found: ReadonlyArray<Difference>) => Effect.Effect<void>,
      since?: number
    ): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/credits/CreditService") {
  static readonly inputs = inputsOf<CreditService["Service"]>()({
    balance: [{ userId: UserId }],
    history: [{ input: History }],
    usage: [{ input: Usage }],
    receipt: [{ userId: UserId }, { messageId: Id }],
    grant: [{ input: Grant }],
    adjust: [{ input: Adjustment }],
    changeTier: [{ input: TierChoice }],
    refund: [{ input: Refund }]
  })
  static readonly layer = Layer.effect(
    CreditService,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const records = yield* CreditRecords
      const upkeep = yield* CreditUpkeep
      const accounts = yield* Accounts
      const catalog = yield* Catalog
      const entered = yield* makeEntered

      /** Does work on an account; opens the account first if the person has never signed in. */
      const opening = <A, E>(userId: UserId, work: Effect.Effect<A, E | AccountNotFound>) =>
        Effect.catchTag(work, "AccountNotFound", () => Effect.andThen(accounts.vouched(userId), work))

      return CreditService.of({
        balance: (userId) => Effect.map(accounts.of(userId), balanceOf),
        find: (userId) => Effect.map(records.account(userId), balanceOf),
        history: (input) => mayLag(records.history(input)),
        usage: Effect.fn("CreditService.usage")(function* ({ userId, from, to }) {
          const [firstDay, lastDay] = [parseDay(from), parseDay(to)]
          if (firstDay === undefined || lastDay === undefined || lastDay < firstDay || lastDay - firstDay >= MAX_DAYS) {
            return yield* new InvalidUsageRange({ maxDays: MAX_DAYS })
          }
          return yield* mayLag(records.usage({ userId, firstDay, lastDay }))
        }),
        receipt: Effect.fn("CreditService.receipt")(function* (userId, messageId) {
          const charged = yield* transactionOf(records, userId, replyKey(messageId))
          const receipt = charged?.receipt
          return receipt !== undefined && isOfReply(receipt) ? receipt : yield* new ReceiptNotFound({ messageId })
        }),
        replyCosts: Effect.fn("CreditService.replyCosts")((userId, messageIds) =>
          replyCosts(records, userId, messageIds)
        ),
        done: (userId, key) => transactionOf(records, userId, key),
        grant: ({ reason, ...input }) =>
          entered(input, reason, opening(input.userId, ledger.run(grant({ ...input, type: "grant" })))),
        adjust: (input) => ledger.run(adjust(input)),
        refund: (input) => ledger.run(refund(input)),
        changeTier: Effect.fn("CreditService.changeTier")(function* ({ userId, tier, key }) {
          const wanted = catalog.tiers.find(({ name }) => name === tier)
          if (wanted === undefined) return yield* unknownTier(catalog, tier)
          const keyOf = (each: TierName) => `tier:${key}:${each}`
          const done = yield* records.transactions(userId, catalog.tiers.flatMap(namesOf).map(keyOf))
          const first = done.get(keyOf(tier))
          if (first !== undefined) return first
          if (done.size > 0) return yield* new KeyConflict({ key })
          const changing = ledger.run(
            followPlan(operatorPlan(catalog, { userId, wanted, key: keyOf(tier) }, yield* ledger.now))
          )
          return (yield* opening(userId, changing)).transaction
        }),
        verify: Effect.fn("CreditService.verify")(function* (onDifferences, since) {
          let accounts = 0
          let after: Cursor | undefined
          do {
            const chunk = yield* ownCursor(upkeep.verify({ limit: ACCOUNTS_PER_CHUNK, after, since }))
            accounts += chunk.accounts
            if (chunk.differences.length > 0) yield* onDifferences(chunk.differences)
            after = chunk.next
          } while (after !== undefined)
          return accounts
        })
      })
    })
  )
}
