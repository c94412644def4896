import type {
  BotKeyNotFound,
  BotMisconfigured,
  BotNotFound,
  InvalidBot,
  LastBotKey,
  TooManyBotKeys,
  TooManyBots
} from "../bots/errors.ts"
import type {
  CustomerNotFound,
  InvalidSignature,
  PaymentEventNotFound,
  PaymentFailed,
  PriceNotOffered
} from "../billing/errors.ts"
import type { CrmAccessFailed } from "../crm/CrmAccess.ts"
import type { AppointmentsNotAvailable, CrmProviderNotFound, CrmStateUnknown } from "../crm/errors.ts"
import type { SendFailed } from "../chat/ChatService.ts"
import type { InvalidChatChange } from "../chat/errors.ts"
import type {
  AccountNotFound,
  HoldNotFound,
  HoldsOpen,
  InvalidAmount,
  InvalidUsageRange,
  InvalidWork,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  ReceiptNotFound,
  ResetTooEarly,
  SubscriptionNotFound,
  WorkExpired,
  WorkInProgress
} from "../credits/errors.ts"
import type {
  DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "../documents/errors.ts"
import type { SessionInvalid, SessionVerifierUnavailable } from "../identity/SessionVerifier.ts"
import type { TransactionConflict, TransactionNotJoined } from "../storage/CallersTransaction.ts"
import type { PackageMissing } from "../PackageMissing.ts"
import type { DeliveryFailed } from "../events/EventSink.ts"
import type { InvalidWebhook } from "../events/verifyWebhook.ts"
import type { InvalidWebhooks } from "../events/webhooks.ts"
import type { JobNotFailed, JobNotFound } from "../jobs/errors.ts"
import type { InvalidSecretKeys } from "../secrets/errors.ts"
import type { UserNotFound } from "../users/errors.ts"
import type { BotBusy, BotResting, ConversationNotFound } from "../widget/botErrors.ts"
import type { ChallengeUnavailable } from "../widget/VisitorChallenge.ts"
import type {
  VisitorChallengeRequired,
  VisitorDayUsedUp,
  VisitorLimitReached,
  VisitorMessageTooLong,
  VisitorReadsLimited
} from "../widget/errors.ts"
import type { InvalidInput, ParleyClosed } from "./errors.ts"
import type { InvalidCatalog } from "../tiers/Catalog.ts"
import type { TiersMissing, UnknownTier } from "../tiers/errors.ts"

/** What a database adapter fails with where nothing of Parley runs yet: opening, migrating, asking whether it is ready, indexing embeddings. */
export interface DatabaseProblem extends Error {
  readonly _tag: string
  readonly code:
    | "database_failed"
    | "database_not_ready"
    | "folder_in_use"
    | "migration_refused"
    | "migration_unknown"
    | "package_missing"
    | "vector_index_refused"
}

/** Every failure Parley names. `_tag` tells them apart; `code` is stable across releases. */
export type ParleyError =
  | SendFailed
  | DatabaseProblem
  | AccountNotFound
  | AppointmentsNotAvailable
  | BotBusy
  | BotKeyNotFound
  | BotMisconfigured
  | BotNotFound
  | BotResting
  | ChallengeUnavailable
  | ConversationNotFound
  | CrmAccessFailed
  | CrmProviderNotFound
  | CrmStateUnknown
  | CustomerNotFound
  | DeliveryFailed
  | DocumentForbidden
  | DocumentNotFound
  | DocumentNotIndexed
  | DocumentQuotaExceeded
  | FileRejected
  | HoldNotFound
  | HoldsOpen
  | InvalidAmount
  | InvalidBot
  | InvalidCatalog
  | InvalidChatChange
  | InvalidDocumentId
  | InvalidInput
  | InvalidSecretKeys
  | InvalidSignature
  | InvalidUsageRange
  | InvalidWebhook
  | InvalidWebhooks
  | InvalidWork
  | JobNotFailed
  | JobNotFound
  | KeyConflict
  | LastBotKey
  | PackageMissing
  | ParleyClosed
  | PaymentEventNotFound
  | PaymentFailed
  | PriceNotOffered
  | PurchaseConflict
  | PurchaseNotFound
  | ReceiptNotFound
  | ResetTooEarly
  | SessionInvalid
  | SessionVerifierUnavailable
  | SubscriptionNotFound
  | TiersMissing
  | TooManyBotKeys
  | TooManyBots
  | TransactionConflict
  | TransactionNotJoined
  | UnknownTier
  | UserNotFound
  | VisitorLimitReached
  | VisitorMessageTooLong
  | VisitorChallengeRequired
  | VisitorDayUsedUp
  | VisitorReadsLimited
  | WorkExpired
  | WorkInProgress
