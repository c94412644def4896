/** What an application uses: `createParley` for promises, `parleyLayer` for Effect, and the types and errors of both. */

export {
  type StorageLayers,
  type StoragePort,
  type StoragePorts,
  inMemoryStorageLayer,
  openStorageLayer,
  storageLayer,
  storagePortsFromContext
} from "./StoragePorts.ts"
export type { BackgroundTask } from "./background/BackgroundTask.ts"
export { startTasks } from "./background/startTasks.ts"
export { superviseTask } from "./background/superviseTask.ts"
export { BACKGROUND_TASKS, type BackgroundTaskName, backgroundWorkLayer } from "./backgroundTasks.ts"
export { ChatRequest, MAX_DOCUMENTS, MAX_MESSAGES, Uuid } from "./chat/ChatRequest.ts"
export {
  type ChatOwner,
  type ChatPage,
  ChatService,
  PAGE_MESSAGES,
  type SendFailed,
  type SendInput
} from "./chat/ChatService.ts"
export type { Transcript } from "./chat/ChatStore.ts"
export type { ConversationOwner, PersonOwner, VisitorOwner } from "./chat/ConversationOwner.ts"
export { ModelOffers, type OfferedModel } from "./chat/ModelOffers.ts"
export type { Reply } from "./chat/Reply.ts"
export { type ReplyParties, onePerson } from "./chat/ReplyParties.ts"
export type { Chat, MessageState, Source, StoredMessage } from "./chat/StoredMessage.ts"
export {
  ChatNotFound,
  InvalidChatRequest,
  PromptTooLong,
  RequestInProgress,
  StorageQuotaExceeded,
  TooManyAbandonedTries,
  TooManyReplies
} from "./chat/errors.ts"
export type { Account, Balance, Buckets, RenewedBy } from "./credits/Account.ts"
export { Accounts } from "./credits/Accounts.ts"
export {
  type AdjustInput,
  type ChargedPurchase,
  type DisputeInput,
  type Payment,
  type PurchaseReport,
  type RefundInput,
  disputeKey,
  refundKey
} from "./credits/Correction.ts"
export type { HistoryInput, HistoryPage } from "./credits/CreditLedger.ts"
export { CreditOperations, creditOperations } from "./credits/CreditOperations.ts"
export { CreditService } from "./credits/CreditService.ts"
export { PositiveCredits } from "./credits/Credits.ts"
export type { GrantInput, OpenAccountInput } from "./credits/Grant.ts"
export type { Receipt, ReceiptDraft, ReplyEnd } from "./credits/Receipt.ts"
export { TRANSACTION_TYPES, type Transaction, type TransactionType } from "./credits/Transaction.ts"
export type { UsageInput, UsageRow } from "./credits/UsageReport.ts"
export { CHAT_SOURCE, type SourceKind, UsageSource, parseUsageSource } from "./credits/UsageSource.ts"
export {
  AccountNotFound,
  DailyCapReached,
  HoldNotFound,
  HoldsOpen,
  InsufficientCredits,
  InvalidAmount,
  InvalidUsageRange,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  ReceiptNotFound,
  ResetTooEarly,
  SubscriptionNotFound
} from "./credits/errors.ts"
export type {
  Hold,
  HoldEnd,
  HoldName,
  ReleaseInput,
  ReserveInput,
  Reserved,
  SettleInput
} from "./credits/holds/Hold.ts"
export { HoldTtl } from "./credits/holds/HoldTtl.ts"
export type { CloseInput } from "./credits/rules/closeAccount.ts"
export type { GrantRefusal } from "./credits/rules/decideAccount.ts"
export type { PurchaseRefusal } from "./credits/rules/decideCorrection.ts"
export type { ReserveRefusal, SettleRefusal } from "./credits/rules/decideHold.ts"
export type { OnceRefusal } from "./credits/rules/decideOnce.ts"
export type { TierChange, TierRefusal } from "./credits/rules/tierChange.ts"
export { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
export type { TierReset, TierResets } from "./credits/upkeep/ResetChunk.ts"
export { type ResetReport, type ResetRun, ResetService } from "./credits/upkeep/ResetService.ts"
export type { Difference, Invariant } from "./credits/upkeep/Verification.ts"
export {
  DOCUMENT_STATUSES,
  type Document,
  type DocumentKey,
  type DocumentStatus,
  type FoundPassage,
  type Passage
} from "./documents/Document.ts"
export { DocumentService, type UploadInput } from "./documents/DocumentService.ts"
export { ReadingLimits, type ReadingLimitsData } from "./documents/ReadingLimits.ts"
export { UploadLimits, type UploadLimitsData } from "./documents/UploadLimits.ts"
export { type DocumentType, PARSED_DOCUMENT_TYPES } from "./documents/documentTypes.ts"
export {
  DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "./documents/errors.ts"
export { isUuid } from "./documents/isUuid.ts"
export {
  SESSION_PROBLEMS,
  type Session,
  SessionInvalid,
  SessionVerifier,
  SessionVerifierUnavailable
} from "./identity/SessionVerifier.ts"
export { UserId } from "./identity/UserId.ts"
export type { JobProgress } from "./jobs/JobHandler.ts"
export { JOB_STATES, JobCursor, type JobRecord, type JobState } from "./jobs/JobRecord.ts"
export { JobNotFailed, JobNotFound } from "./jobs/errors.ts"
export { type ChatMessage, ROLES, type Role } from "./models/ChatMessage.ts"
export { MODEL_FAILURES, ModelFailed, type ModelFailure, ModelUnavailable } from "./models/ChatModel.ts"
export {
  EFFORTS,
  type Effort,
  type LongContextRates,
  type Model,
  type ModelPrice,
  OMITTABLE_PARAMETERS,
  type OmittableParameter,
  type TokenRates,
  VENDORS,
  type Vendor,
  modelPrice
} from "./models/Model.ts"
export { Usage } from "./models/Usage.ts"
export { type ParleyPorts, type ParleyServices, parleyLayer } from "./parleyLayer.ts"
export type { Parley, SentReply } from "./promise/Parley.ts"
export type { ParleyError } from "./promise/ParleyError.ts"
export { type ParleyOptions, createParley } from "./promise/createParley.ts"
export { openInMemory } from "./promise/openInMemory.ts"
export type { OpenReplies } from "./promise/sendReply.ts"
export type { IdentifiersOf, PortRecord, ServicesOf } from "./storage/PortRecord.ts"
export { StorageFailed } from "./storage/StorageFailed.ts"
export {
  Catalog,
  type CatalogData,
  CatalogOverrides,
  InvalidCatalog,
  type Purchase,
  type WidgetLimits,
  defaultCatalog,
  makeCatalog
} from "./tiers/Catalog.ts"
export { TIER_NAMES, type Tier, type TierName } from "./tiers/Tier.ts"
export { ModelNotAllowed } from "./tiers/errors.ts"
export type { TokenCount, TokenizerService } from "./tokens/TokenizerService.ts"
export { type ErasedUser, PSEUDONYM_PREFIX, UserService } from "./users/UserService.ts"
export { UserNotFound } from "./users/errors.ts"
