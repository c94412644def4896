/** The part of `@parley/core/adapter` for credits. */

export { type CreditPorts, CreditLedger, CreditRecords, CreditUpkeep, type TierCount } from "./CreditLedger.ts"
export { type ReceiptDraft, type ReplyReceiptDraft, type WorkReceiptDraft, isOfReply } from "./Transaction.ts"
export { dayText, parseDay } from "./UsageReport.ts"
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
export {
  type Hold,
  type HoldEnd,
  type HoldName,
  type HoldProgress,
  NOTHING_RENEWED,
  NOTHING_SWEPT,
  type RenewInput,
  type Renewed,
  type Reserved,
  type SweepInput,
  type Swept,
  addSwept
} from "./holds/Hold.ts"
export type {
  Changes,
  Decision,
  IdempotencyRecord,
  KeyState,
  LedgerAccount,
  OpenHold,
  Operation,
  Reads,
  Refusal,
  View
} from "./rules/LedgerState.ts"
export type { Split } from "./Account.ts"
export { type CloseInput, closeAccount, openAccount } from "./rules/openAndClose.ts"
export { type Decisions, type LoadedAccount, NO_ACCOUNT, accountOf, decideAll, keysOf } from "./rules/decideAll.ts"
export { type SettleRefusal, expire, release, reserve, reserveOnTier, settle, sweptBy } from "./rules/decideHold.ts"
export type { OnceRefusal } from "./rules/journal.ts"
export {
  type FollowPlanInput,
  type FollowedPlan,
  type LeftPeriod,
  type PeriodRest,
  type PlanTerms,
  followPlan
} from "./rules/followPlan.ts"
export { adjust, dispute, grant, refund } from "./rules/grantsAndCorrections.ts"
export { type TakeFromPeriodInput, type TakenFromPeriod, takeFromPeriod } from "./rules/takeFromPeriod.ts"
export { changeTier } from "./rules/tierChange.ts"
export { importAccount } from "./rules/importAccount.ts"
export { type Period, periodAt, periodStart } from "./rules/period.ts"
export type { CorrectionReport, PurchaseState } from "./Purchase.ts"
export { NO_TRANSACTIONS, TRANSACTION_TYPES, type TransactionCounts, countsOf, withTransaction } from "./Transaction.ts"
export { SPENDER_KINDS, type UsageByKind, dayOf } from "./Spender.ts"
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
