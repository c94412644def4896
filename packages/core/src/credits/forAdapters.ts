/** The part of `@parley/core/adapter` for credits. */

export { CreditLedger, type TierCount } from "./CreditLedger.ts"
export { type ReceiptDraft, type ReplyReceiptDraft, type WorkReceiptDraft, isOfReply } from "./Receipt.ts"
export { TRANSACTION_TYPES } from "./Transaction.ts"
export { dayText, parseDay } from "./UsageReport.ts"
export { SPENDER_KINDS } from "./Spender.ts"
export { checkTiers } from "./upkeep/checkTiers.ts"
export {
  AccountNotFound,
  DailyCapReached,
  HoldNotFound,
  HoldsOpen,
  InvalidAmount,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  ResetTooEarly,
  SubscriptionNotFound
} from "./errors.ts"
export type { Hold, HoldEnd, HoldName, Reserved } from "./holds/Hold.ts"
export { type HoldProgress, NOTHING_RENEWED, type RenewInput, type Renewed } from "./holds/Hold.ts"
export { NOTHING_SWEPT, type SweepInput, type Swept, addSwept } from "./holds/Hold.ts"
export {
  type Changes,
  type Decision,
  type IdempotencyRecord,
  type KeyState,
  type LedgerAccount,
  type OpenHold,
  type Operation,
  type Reads,
  type Refusal,
  type View,
  accountOf,
  keysOf
} from "./rules/LedgerState.ts"
export type { Split } from "./Account.ts"
export { type CloseInput, closeOperation } from "./rules/openAndClose.ts"
export { type Decisions, type LoadedAccount, NO_ACCOUNT, decideAll } from "./rules/decideAll.ts"
export { expireOperation, sweptBy } from "./rules/decideHold.ts"
export type { SettleRefusal } from "./rules/decideHold.ts"
export type { OnceRefusal } from "./rules/journal.ts"
export type { FollowPlanInput, FollowedPlan, LeftPeriod, PeriodRest, PlanTerms } from "./rules/followPlan.ts"
export { type Period, periodAt, periodStart } from "./rules/period.ts"
export type { PurchaseState } from "./Purchase.ts"
export type { CorrectionReport } from "./Purchase.ts"
export { NO_TRANSACTIONS, type TransactionCounts, countsOf, withTransaction } from "./Transaction.ts"
export { type UsageByKind, dayOf } from "./Spender.ts"
export {
  type DueInput,
  type ResetChunk,
  type ResetInput,
  type ResetRange,
  type TierReset,
  type TierResets,
  noResets
} from "./upkeep/ResetChunk.ts"
export type { ResetReport } from "./upkeep/ResetService.ts"
export type { Difference, Invariant, VerifyChunk, VerifyInput } from "./upkeep/Verification.ts"
