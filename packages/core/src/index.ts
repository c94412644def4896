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
export { PackageMissing } from "./PackageMissing.ts"
export type { BackgroundTask } from "./background/BackgroundTask.ts"
export { startTasks } from "./background/startTasks.ts"
export { superviseTask } from "./background/superviseTask.ts"
export { BACKGROUND_TASKS, type BackgroundTaskName, backgroundWorkLayer } from "./backgroundTasks.ts"
export { EVENT_STATES, type EventOutcome, type EventState, type StoredPaymentEvent } from "./billing/BillingAccount.ts"
export {
  BillingService,
  type Buyer,
  type CheckoutLinkInput,
  type Offer,
  type PortalLinkInput,
  type PaidSubscription,
  type SubscriptionState
} from "./billing/BillingService.ts"
export {
  CHECKOUT_MODES,
  type CheckoutMode,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus
} from "./billing/PaymentEvent.ts"
export { type Invoice, PaymentGateway, type PriceOffer, type SignedEvent } from "./billing/PaymentGateway.ts"
export type { CatchUpInput, CatchUpReport, HandledEvent } from "./billing/inbox/catchUp.ts"
export { PaymentInbox } from "./billing/PaymentInbox.ts"
export {
  CustomerNotFound,
  InvalidSignature,
  PaymentEventNotFound,
  type PaymentFailed,
  PaymentRefused,
  PaymentUnavailable,
  PaymentsNotConfigured,
  PriceNotOffered
} from "./billing/errors.ts"
export { noPayments } from "./billing/noPayments.ts"
export { PaymentCatchUp } from "./billing/upkeep/PaymentCatchUp.ts"
export { PaymentEventSweeper } from "./billing/upkeep/PaymentEventSweeper.ts"
export { PaymentRetention, type PaymentRetentionData } from "./billing/upkeep/PaymentRetention.ts"
export { type Bot, type BotKey, BotSettings } from "./bots/Bot.ts"
export { BotChange, BotDraft } from "./bots/BotDraft.ts"
export { type BotRefused, BotService, type BotUnreadable, MAX_BOT_KEYS, MAX_BOTS } from "./bots/BotService.ts"
export { BOT_LIMITS } from "./bots/botFields.ts"
export {
  BotKeyNotFound,
  BotMisconfigured,
  BotNotFound,
  InvalidBot,
  LastBotKey,
  TooManyBotKeys,
  TooManyBots
} from "./bots/errors.ts"
export { ChatRequest, MAX_DOCUMENTS, MAX_MESSAGES, Uuid } from "./chat/ChatRequest.ts"
export {
  type ChatOwner,
  type ChatPage,
  ChatService,
  type OnDisconnect,
  PAGE_MESSAGES,
  type ReadChat,
  type SendFailed,
  type SendInput
} from "./chat/ChatService.ts"
export type { ConversationCursor, Transcript } from "./chat/ChatStore.ts"
export type { ConversationOwner, PersonOwner, VisitorOwner } from "./chat/ConversationOwner.ts"
export { ModelOffers, type OfferedModel } from "./chat/ModelOffers.ts"
export type { Reply } from "./chat/Reply.ts"
export { type ReplyParties, type ReplyTerms, onePerson } from "./chat/ReplyParties.ts"
export type { Chat, MessageState, Source, StoredMessage } from "./chat/StoredMessage.ts"
export type { JoinedReply } from "./chat/running/ContinuingReplies.ts"
export { ReplySweeper } from "./chat/running/ReplySweeper.ts"
export type { RunningReply } from "./chat/running/RunningReplies.ts"
export {
  ChatNotFound,
  InvalidChatChange,
  InvalidChatRequest,
  PROMPT_PROBLEMS,
  PromptBuilderFailed,
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
export type { ReplyCost } from "./credits/replyCosts.ts"
export { PositiveCredits } from "./credits/Credits.ts"
export { maxPriceOf, priceOf } from "./credits/rules/price.ts"
export type { GrantInput, OpenAccountInput } from "./credits/Grant.ts"
export {
  isOfReply,
  type Receipt,
  type ReceiptDraft,
  type ReceiptLine,
  type ReplyEnd,
  type ReplyReceipt,
  type ReplyReceiptDraft,
  type WorkEnd,
  type WorkReceipt,
  type WorkReceiptDraft
} from "./credits/Receipt.ts"
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
  InvalidWork,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  ReceiptNotFound,
  ResetTooEarly,
  SubscriptionNotFound,
  WorkExpired,
  WorkInProgress
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
export type {
  JsonOf,
  MeteredWork,
  WorkBound,
  WorkHold,
  WorkName,
  WorkPayment,
  WorkRenewal,
  WorkReport,
  WorkReservation,
  WorkSettlement
} from "./credits/metering/Metering.ts"
export {
  type MeterFailed,
  type OpenWork,
  type ReserveWorkFailed,
  type SettleWorkFailed,
  WorkMeter
} from "./credits/metering/WorkMeter.ts"
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
export {
  type DocumentFile,
  DocumentService,
  type ExcerptOfDocument,
  MAX_EXCERPT,
  type UploadInput
} from "./documents/DocumentService.ts"
export {
  DocumentReindex,
  type ReindexEstimate,
  type ReindexInput,
  type ScopeProblem
} from "./documents/indexing/reindexing/DocumentReindex.ts"
export type { ReindexScope } from "./documents/indexing/reindexing/outstanding.ts"
export type { ReindexProgress, ReindexReport, UndoneDocument } from "./documents/indexing/reindexing/runReindex.ts"
export { type Heading, headingPath } from "./documents/reading/Heading.ts"
export type { PromptBuilder, PromptParts } from "./chat/PromptBuilder.ts"
export { ReplySettings, type ReplySettingsData } from "./chat/ReplySettings.ts"
export { ReadingLimits, type ReadingLimitsData } from "./documents/reading/ReadingLimits.ts"
export { UploadLimits, type UploadLimitsData } from "./documents/storing/UploadLimits.ts"
export { type DocumentType, PARSED_DOCUMENT_TYPES } from "./documents/documentTypes.ts"
export {
  DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "./documents/errors.ts"
export type { Excerpt, PageSpan } from "./documents/indexing/excerpt.ts"
export { isUuid } from "./storage/isUuid.ts"
export { textParser } from "./documents/reading/textParser.ts"
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
export { noModels } from "./models/noModels.ts"
export { Usage } from "./models/Usage.ts"
export { type ParleyPorts, type ParleyServices, parleyLayer } from "./parleyLayer.ts"
export type { CreditCalls, JoinedCreditCalls, RunningWork } from "./promise/CreditCalls.ts"
export type { OpenedFile, Parley, PartOfDocument, SentReply } from "./promise/Parley.ts"
export { errorStatuses, isParleyError } from "./promise/errorStatuses.ts"
export { InvalidInput, ParleyClosed } from "./promise/errors.ts"
export type { DatabaseProblem, ParleyError } from "./promise/ParleyError.ts"
export { type ParleyOptions, createParley } from "./promise/createParley.ts"
export type { LogFields, ParleyLogger } from "./promise/ParleyLogger.ts"
export { openInMemory, type OpenInMemoryOptions } from "./promise/openInMemory.ts"
export type { WebhookOptions } from "./promise/eventSinks.ts"
export type { OpenReplies } from "./promise/OpenReplies.ts"
export type { IdentifiersOf, PortRecord, ServicesOf } from "./storage/PortRecord.ts"
export {
  type CallersClient,
  type CallersClients,
  type CallersTransaction,
  TransactionConflict,
  TransactionNotJoined
} from "./storage/CallersTransaction.ts"
export { StorageFailed } from "./storage/StorageFailed.ts"
export { Catalog, InvalidCatalog, findTier, lowestTier, makeCatalog, tierOf, unknownTier } from "./tiers/Catalog.ts"
export type { CatalogData, Purchase, WidgetLimits } from "./tiers/CatalogData.ts"
export { CatalogOverrides } from "./tiers/CatalogOverrides.ts"
export { defaultCatalog } from "./tiers/shippedCatalog.ts"
export type { Tier, TierName } from "./tiers/Tier.ts"
export { ModelNotAllowed, TiersMissing, UnknownTier } from "./tiers/errors.ts"
export type { TokenCount, TokenizerService } from "./tokens/TokenizerService.ts"
export { EXPORT_KINDS, EXPORT_VERSION, type ExportKind, type ExportLine, UserExport } from "./users/UserExport.ts"
export { OperatorTiers, type TierStanding } from "./users/OperatorTiers.ts"
export { type ErasedUser, PSEUDONYM_PREFIX, UserService } from "./users/UserService.ts"
export { BotBusy, BotResting, ConversationNotFound } from "./widget/botErrors.ts"
export {
  ConversationService,
  type FindConversationsInput,
  type FoundConversations,
  type OwnedConversation,
  type OwnedMessage,
  type ReadConversation
} from "./widget/ConversationService.ts"
export { VisitorConversation, VisitorMessage } from "./widget/VisitorMessage.ts"
export {
  type BotUnreachable,
  NEUTRAL_DECLINE,
  type VisitorCallInput,
  type WidgetConfig,
  type WidgetMessage,
  type WidgetReply,
  type WidgetSendFailed,
  WidgetService,
  type WidgetTranscript
} from "./widget/WidgetService.ts"
export { SignOut, type SignOutInput } from "./sessions/SignOut.ts"
export {
  type Compared,
  type CompareInput,
  PaymentComparison,
  type PaymentDifference
} from "./billing/PaymentComparison.ts"
export { UserNotFound } from "./users/errors.ts"
export { type VisitorCall, VisitorGate } from "./widget/VisitorGate.ts"
export {
  VISITOR_LIMITS,
  type VisitorLimit,
  VisitorLimitReached,
  VisitorMessageTooLong,
  VisitorReadsLimited
} from "./widget/errors.ts"
export { AppointmentBook, type AppointmentDraft } from "./crm/AppointmentBook.ts"
export { CrmAccess, type CrmAccessFailed, type CrmAccessToken } from "./crm/CrmAccess.ts"
export {
  CRM_PROBLEMS,
  CRM_STATES,
  type CrmConnection,
  type CrmConnectionName,
  type CrmProblem,
  type CrmState
} from "./crm/CrmConnection.ts"
export {
  CRM_PROVIDERS,
  type CrmAccount,
  type CrmProvider,
  type CrmProviderId,
  CrmProviders,
  type CrmTokens
} from "./crm/CrmProvider.ts"
export { CrmRelease, type Revocation, REVOCATIONS } from "./crm/CrmRelease.ts"
export {
  type BegunConnection,
  CALLBACK_ERRORS,
  type CallbackError,
  type CallbackInput,
  type CallbackOutcome,
  type ConnectFailed,
  type ConnectInput,
  type CrmOffer,
  CrmService
} from "./crm/CrmService.ts"
export {
  AppointmentsNotAvailable,
  CrmAnswerLost,
  type CrmFailed,
  CrmNeedsReconnect,
  CrmNotConfigured,
  CrmNotConnected,
  CrmProviderNotFound,
  CrmRefused,
  CrmStateUnknown,
  CrmUnavailable
} from "./crm/errors.ts"
export { noCrmLayer } from "./crm/noCrmLayer.ts"
export { stateIdOf } from "./crm/oauthState.ts"
export { type RotateInput, type RotationReport, SecretRotation } from "./crm/SecretRotation.ts"
export { InvalidSecretKeys, SecretsNotConfigured, SecretUnreadable } from "./secrets/errors.ts"
export { noSecrets } from "./secrets/noSecrets.ts"
export { SecretBox, type SealedSecret, type SecretContext } from "./secrets/SecretBox.ts"
export { parseSecretKeys, type SecretKey } from "./secrets/secretKeys.ts"
export { makeWebCryptoSecretBox, WebCryptoSecretBoxLayer } from "./secrets/WebCryptoSecretBox.ts"
export { EventDelivery } from "./events/EventDelivery.ts"
export { DeliveryFailed, type EventSink, EventSinks } from "./events/EventSink.ts"
export { hookSinks, type ParleyHooks } from "./events/hooks.ts"
export { LowBalance, type LowBalanceSetting, problemOfLowBalance } from "./events/LowBalance.ts"
export {
  type BalanceLow,
  type CreditsCharged,
  type CreditsPurchased,
  type CreditsRefunded,
  type DocumentFailed,
  type DocumentReady,
  EVENT_TYPES,
  EVENT_VERSION,
  type EventTokens,
  type EventType,
  type ParleyEvent,
  type PlanChanged,
  type ReplyFinished
} from "./events/ParleyEvent.ts"
export type { WebhookAnswer, WebhookPoster, WebhookRequest, WebhookUnanswered } from "./events/WebhookPoster.ts"
export { InvalidWebhooks, type WebhookEndpoint, webhookProblems, webhookSinks } from "./events/webhooks.ts"
export { InvalidWebhook, isWebhookSecret, type ReceivedHeaders, verifyWebhook } from "./events/webhookSignature.ts"
