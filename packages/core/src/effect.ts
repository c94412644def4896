/** The entry for applications that use Effect: services, layers, settings and the errors of services. */

export {
  type StorageLayers,
  type StoragePort,
  inMemoryStorageLayer,
  openStorageLayer,
  storageLayer,
  storagePortsFromContext
} from "./StoragePorts.ts"
export type { BackgroundTask } from "./background/startTasks.ts"
export { startTasks } from "./background/startTasks.ts"
export { superviseTask } from "./background/startTasks.ts"
export { backgroundWorkLayer } from "./backgroundTasks.ts"
export { type ActionAsked, BY_THE_PERSON, operatorOf } from "./audit/ActionAsked.ts"
export { BillingService } from "./billing/BillingService.ts"
export { type CompareInput, type Compared, PaymentComparison } from "./billing/compare/PaymentComparison.ts"
export { DIFFERENCE_KINDS, type DifferenceKind, type PaymentDifference } from "./billing/compare/PaymentDifference.ts"
export { PaymentInbox } from "./billing/PaymentInbox.ts"
export { Branding } from "./branding/Branding.ts"
export { CustomerNotFound, PriceNotOffered } from "./billing/errors.ts"
export { noPayments } from "./billing/provider/noPayments.ts"
export { PaymentCatchUp } from "./billing/upkeep/PaymentCatchUp.ts"
export { PaymentEventSweeper } from "./billing/upkeep/PaymentEventSweeper.ts"
export {
  ActiveBots,
  type BotRefused,
  BotService,
  type BotUnreadable,
  MAX_BOTS,
  MAX_BOT_KEYS
} from "./bots/BotService.ts"
export { BOT_LIMITS } from "./bots/botFields.ts"
export { InstallChecks } from "./bots/InstallChecks.ts"
export {
  BotKeyNotFound,
  BotMisconfigured,
  BotNotFound,
  InvalidBot,
  LastBotKey,
  TooManyBotKeys,
  TooManyBots
} from "./bots/errors.ts"
export { MAX_DOCUMENTS, MAX_MESSAGES, Uuid } from "./chat/ChatRequest.ts"
export { ChatService } from "./chat/ChatService.ts"
export type { SharedChat } from "./chat/sharing/shareChats.ts"
export { RATINGS, ReplyRating } from "./chat/store/StoredChat.ts"
export { ImageNotFound, InvalidImage } from "./chat/images/Image.ts"
export { ImageService } from "./chat/images/ImageService.ts"
export { ProjectService } from "./chat/projects/ProjectService.ts"
export { InvalidProject, ProjectChange, ProjectNotFound, TooManyProjects } from "./chat/projects/Project.ts"
export { InvalidPreferences, Preferences, PreferenceService } from "./preferences/Preferences.ts"
export type { SendFailed, SendInput } from "./chat/sendMessages.ts"
export { ModelOffers } from "./chat/ModelOffers.ts"
export {
  ChatNotFound,
  InvalidChatChange,
  PROMPT_PROBLEMS,
  PromptBuilderFailed,
  RequestInProgress,
  StorageQuotaExceeded,
  TooManyAbandonedTries,
  TooManyReplies
} from "./chat/errors.ts"
export { type JoinedReply, ReplyRunner } from "./chat/reply/ReplyRunner.ts"
export { Accounts } from "./credits/Accounts.ts"
export { disputeKey, refundKey } from "./credits/Purchase.ts"
export { CreditService } from "./credits/CreditService.ts"
export { PositiveCredits } from "./credits/creditInputs.ts"
export { ChosenKey } from "./credits/ledgerKeys.ts"
export { CHAT_SPENDER, parseSpender } from "./credits/Spender.ts"
export {
  InsufficientCredits,
  InvalidUsageRange,
  InvalidWork,
  ReceiptNotFound,
  WorkExpired,
  WorkInProgress
} from "./credits/errors.ts"
export type { ReleaseInput, ReserveInput, SettleInput } from "./credits/holds/Hold.ts"
export { HoldTtl } from "./credits/holds/keepHolds.ts"
export type { WorkHold, WorkRenewal, WorkReservation, WorkSettlement } from "./credits/metering/Metering.ts"
export {
  type MeterFailed,
  type OpenWork,
  type ReserveWorkFailed,
  type SettleWorkFailed,
  WorkMeter
} from "./credits/metering/WorkMeter.ts"
export type { ReplyCost } from "./credits/CreditService.ts"
export type { GrantRefusal } from "./credits/rules/grantsAndCorrections.ts"
export type { PurchaseRefusal } from "./credits/rules/grantsAndCorrections.ts"
export type { ReserveRefusal } from "./credits/rules/decideHold.ts"
export type { TierRefusal } from "./credits/rules/tierChange.ts"
export { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
export { type ResetRun, ResetService } from "./credits/upkeep/ResetService.ts"
export { AppointmentBook, type AppointmentDraft } from "./crm/AppointmentBook.ts"
export { CrmAccess, type CrmAccessFailed } from "./crm/CrmAccess.ts"
export type { CrmConnection } from "./crm/CrmConnectionStore.ts"
export { CrmRelease, REVOCATIONS } from "./crm/CrmRelease.ts"
export { CALLBACK_ERRORS, type ConnectFailed, CrmService } from "./crm/CrmService.ts"
export { type RotateInput, type RotationReport, SecretRotation } from "./crm/SecretRotation.ts"
export {
  AppointmentsNotAvailable,
  CrmNeedsReconnect,
  CrmNotConfigured,
  CrmNotConnected,
  CrmProviderNotFound,
  CrmStateUnknown
} from "./crm/errors.ts"
export { noCrmLayer } from "./crm/CrmProvider.ts"
export { stateIdOf } from "./crm/oauthState.ts"
export { DocumentService, MAX_EXCERPT } from "./documents/DocumentService.ts"
export {
  DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  InvalidDocumentId
} from "./documents/errors.ts"
export {
  DocumentReindex,
  type ReindexEstimate,
  type ReindexInput,
  type ScopeProblem
} from "./documents/indexing/reindexing/DocumentReindex.ts"
export {
  type EveryonesReindexing,
  type IndexingEstimate,
  type PersonReindexing,
  Reindexing
} from "./documents/indexing/reindexing/Reindexing.ts"
export type { ReindexScope } from "./documents/indexing/reindexing/outstanding.ts"
export type { ReindexProgress, ReindexReport, UndoneDocument } from "./documents/indexing/reindexing/runReindex.ts"
export { UploadLimits } from "./documents/storing/UploadLimits.ts"
export { EventFeed, type FeedPage } from "./keys/EventFeed.ts"
export { EventDelivery } from "./events/EventDelivery.ts"
export { DeliveryFailed, type EventSink, EventSinks } from "./events/EventSink.ts"
export { EVENT_VERSION } from "./events/ParleyEvent.ts"
export { hookSinks } from "./events/hooks.ts"
export { InvalidWebhooks, webhookProblems, webhookSinks } from "./events/webhooks.ts"
export type { WorkFinding } from "./jobs/WorkHealth.ts"
export { ServiceKeyName, ServiceKeys } from "./keys/ServiceKeys.ts"
export { ServiceKeyInactive, ServiceKeyInvalid, ServiceKeyNotFound } from "./keys/errors.ts"
export { noModels } from "./models/noModels.ts"
export { type ParleyPorts, type ParleyServices, parleyLayer } from "./parleyLayer.ts"
export { problemsOfSettings, SETTING_VARIABLES, settingsLayer } from "./parleySettings.ts"
export { runtimeOf } from "./promise/Parley.ts"
export { ParleyClosed } from "./promise/ParleyCalls.ts"
export { InvalidInput } from "./storage/inputs.ts"
export { WebCryptoSecretBoxLayer, makeWebCryptoSecretBox } from "./secrets/WebCryptoSecretBox.ts"
export { InvalidSecretKeys, SecretUnreadable, SecretsNotConfigured } from "./secrets/errors.ts"
export { noSecrets } from "./secrets/noSecrets.ts"
export { type SecretKey, parseSecretKeys } from "./secrets/secretKeys.ts"
export { type RefusedRequest, type SecurityFact, IsTrial, SecurityEvents } from "./security/SecurityEvents.ts"
export { mailAddressOf } from "./mail/mailAddress.ts"
export { CODE_LIFETIME_MS, EmailSignIn } from "./signin/EmailSignIn.ts"
export { InvalidMailAddress, SignInLimited, SignInRefused } from "./signin/errors.ts"
export { shownCode } from "./signin/signInCode.ts"
export { SIGN_IN_LANGUAGES, type SignInLanguage } from "./signin/signInMail.ts"
export { AccessList, type Identified } from "./sessions/AccessList.ts"
export { UserBlocked } from "./sessions/errors.ts"
export { SignOut } from "./sessions/SignOut.ts"
export { Catalog, InvalidCatalog } from "./tiers/Catalog.ts"
export { findTier, lowestTier, tierOf, unknownTier } from "./tiers/CatalogData.ts"
export { CatalogOverrides } from "./tiers/CatalogOverrides.ts"
export { ModelNotAllowed, TiersMissing, UnknownTier } from "./tiers/errors.ts"
export { type MoneyReport, MoneyReports } from "./users/MoneyReports.ts"
export { OperatorActions } from "./users/OperatorActions.ts"
export { type HealthReport, OperatorReports, type PersonReport } from "./users/OperatorReports.ts"
export { OperatorTiers, type TierStanding } from "./users/OperatorTiers.ts"
export { type AccessState, type PeopleAsked, type PeoplePage, UserAccess } from "./users/UserAccess.ts"
export { UserImport } from "./users/importing/UserImport.ts"
export { EventService } from "./events/EventService.ts"
export { JobService } from "./jobs/JobService.ts"
export { EXPORT_KINDS, EXPORT_VERSION, type ExportKind, type ExportLine, UserExport } from "./users/UserExport.ts"
export { type RetentionSwept, RetentionSweeper } from "./retention/RetentionSweeper.ts"
export { type ErasedUser, PSEUDONYM_PREFIX, UserService } from "./users/UserService.ts"
export { ErasureLimited, UserNotFound } from "./users/errors.ts"
export {
  ConversationService,
  type FindConversationsInput,
  type FoundConversations,
  type OwnedConversation,
  type OpenedConversation,
  type OwnedMessage,
  type ReadConversation
} from "./widget/ConversationService.ts"
export { type VisitorCall, VisitorGate } from "./widget/VisitorGate.ts"
export { NEUTRAL_DECLINE } from "./widget/neutralDecline.ts"
export { PersonWish, VisitorFile, VisitorRating, VisitorConversation, VisitorMessage } from "./widget/VisitorMessage.ts"
export type { WidgetConfig } from "./widget/WidgetConfig.ts"
export {
  type BotUnreachable,
  type VisitorCallInput,
  type PersonWished,
  type PersonWishInput,
  type WidgetReply,
  type WidgetSendFailed,
  WidgetService
} from "./widget/WidgetService.ts"
export type { WidgetMessage, WidgetTranscript } from "./widget/WidgetTranscript.ts"
export { BotAnalytics, MAX_REPORT_DAYS } from "./widget/analytics/BotAnalytics.ts"
export { AnswerText, HandoverService, MoveTo } from "./widget/handover/HandoverService.ts"
export {
  MAX_CONVERSATION_FILES,
  MAX_VISITOR_FILE_BYTES,
  type VisitorFileInput,
  type WidgetFile
} from "./widget/files/attachFile.ts"
export {
  NoRoomForFile,
  TooManyConversationFiles,
  VisitorUploadsLimited,
  VisitorUploadsOff
} from "./widget/files/fileErrors.ts"
export { BotBusy, BotResting, ConversationNotFound, HandOverOff } from "./widget/botErrors.ts"
export {
  VISITOR_LIMITS,
  VisitorChallengeRequired,
  VisitorDayUsedUp,
  type VisitorLimit,
  VisitorLimitReached,
  VisitorMessageTooLong,
  VisitorReadsLimited
} from "./widget/errors.ts"
