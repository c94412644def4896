import type {
  BotKeyNotFound,
  BotMisconfigured,
  BotNotFound,
  InvalidBot,
  LastBotKey,
  TooManyBotKeys,
  TooManyBots
} from "../bots/errors.ts"
import type { CustomerNotFound, InvalidSignature, PaymentFailed, PriceNotOffered } from "../billing/errors.ts"
import type { CrmAccessFailed } from "../crm/CrmAccess.ts"
import type { CrmProviderNotFound, CrmStateUnknown } from "../crm/errors.ts"
import type { SendFailed } from "../chat/ChatService.ts"
import type { InvalidChatChange } from "../chat/errors.ts"
import type {
  AccountNotFound,
  HoldNotFound,
  InvalidAmount,
  InvalidWork,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  ReceiptNotFound,
  ResetTooEarly,
  WorkExpired,
  WorkInProgress
} from "../credits/errors.ts"
import type {
  DocumentForbidden,
  DocumentNotFound,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "../documents/errors.ts"
import type { SessionInvalid, SessionVerifierUnavailable } from "../identity/SessionVerifier.ts"
import type { TransactionNotJoined } from "../storage/CallersTransaction.ts"
import type { InvalidInput, ParleyClosed } from "./errors.ts"
import type { InvalidCatalog } from "../tiers/Catalog.ts"
import type { TiersMissing, UnknownTier } from "../tiers/errors.ts"

/** What a database adapter fails with where nothing of Parley runs yet: opening, migrating, asking whether it is ready. */
export interface DatabaseProblem extends Error {
  readonly _tag: string
  readonly code: "database_failed" | "database_not_ready" | "folder_in_use" | "migration_refused"
}

/** Every failure Parley names. `_tag` tells them apart; `code` is stable across releases. */
export type ParleyError =
  | SendFailed
  | DatabaseProblem
  | AccountNotFound
  | BotKeyNotFound
  | BotMisconfigured
  | BotNotFound
  | CrmAccessFailed
  | CrmProviderNotFound
  | CrmStateUnknown
  | CustomerNotFound
  | DocumentForbidden
  | DocumentNotFound
  | DocumentQuotaExceeded
  | FileRejected
  | HoldNotFound
  | InvalidAmount
  | InvalidBot
  | InvalidCatalog
  | InvalidChatChange
  | InvalidDocumentId
  | InvalidInput
  | InvalidSignature
  | InvalidWork
  | KeyConflict
  | LastBotKey
  | ParleyClosed
  | PaymentFailed
  | PriceNotOffered
  | PurchaseConflict
  | PurchaseNotFound
  | ReceiptNotFound
  | ResetTooEarly
  | SessionInvalid
  | SessionVerifierUnavailable
  | TiersMissing
  | TooManyBotKeys
  | TooManyBots
  | TransactionNotJoined
  | UnknownTier
  | WorkExpired
  | WorkInProgress
