/**
 * The entry for authors of adapters: the ports with their errors, the values that pass through them, and the rules that
 * every adapter shares.
 */

export * from "./crm/forAdapters.ts"
export * from "./events/forAdapters.ts"
export * from "./identity/forAdapters.ts"
export * from "./credits/forAdapters.ts"
export * from "./documents/forAdapters.ts"
export { PackageMissing, loadPackage } from "./PackageMissing.ts"
export {
  AUDIT_KEPT_MS,
  type AuditEntry,
  AuditLog,
  type ListAuditInput,
  type StoredAuditEntry
} from "./audit/AuditLog.ts"
export { KEPT_TASKS, type KeptTask, type TaskRun, TaskRuns } from "./background/TaskRuns.ts"
export { backgroundTasks } from "./backgroundTasks.ts"
export {
  type BillingAccount,
  type BoughtCredits,
  ERASED,
  EVENT_STATES,
  type EventOutcome,
  type EventState,
  OTHER_MODE_NOTE,
  type StoredPaymentEvent,
  noBilling
} from "./billing/BillingAccount.ts"
export { BillingStore, type LinkInput, type Linked, type Owner, type PinInput } from "./billing/BillingStore.ts"
export {
  type ConcludeInput,
  type KeptEvent,
  type ListEventsInput,
  type Matched,
  PaymentEventStore,
  type PaymentSteps,
  type PlainPayment,
  type ReceiveInput,
  type Received,
  isDone
} from "./billing/inbox/PaymentEventStore.ts"
export type { FollowedPeriod, SetAside, TakenBack, TakenBeyond } from "./billing/FollowedPeriod.ts"
export type { InvoiceReport } from "./billing/InvoiceReport.ts"
export {
  CHECKOUT_MODES,
  type CheckoutMode,
  type CheckoutSession,
  type InvoiceLine,
  type InvoiceReason,
  type PaidFor,
  type PaidInvoice,
  type PaymentCharge,
  type PaymentDispute,
  type PaymentEvent,
  type PaymentRecord,
  type PaymentSubject,
  type PaymentSubscription,
  type ReceivedPaymentEvent,
  SUBSCRIPTION_STATUSES,
  type SoldItem,
  type SubscriptionItem,
  type SubscriptionStatus,
  type Unreadable
} from "./billing/provider/PaymentEvent.ts"
export {
  type CheckoutInput,
  type CheckoutLink,
  type CloseCheckoutsInput,
  type CreateCustomerInput,
  type InvoicesInput,
  PaymentGateway,
  type PortalInput,
  type PriceOffer
} from "./billing/provider/PaymentGateway.ts"
export { type LookUpFailed, PaymentLookups } from "./billing/provider/PaymentLookups.ts"
export { type PaymentPorts, type PaymentProvider, paymentProviderLayer } from "./billing/provider/PaymentProvider.ts"
export { PaymentReports, type SinceInput } from "./billing/provider/PaymentReports.ts"
export type {
  PaidPeriod,
  PeriodPayment,
  SeenPrice,
  SubscriptionFacts,
  SubscriptionReport
} from "./billing/SubscriptionFacts.ts"
export {
  InvalidSignature,
  PAYMENT_OBJECTS,
  PaymentEventNotFound,
  type PaymentFailed,
  type PaymentObject,
  PaymentObjectNotFound,
  PaymentObjectUnreadable,
  PaymentRefused,
  PaymentUnavailable,
  PaymentsNotConfigured,
  SIGNATURE_PROBLEMS
} from "./billing/errors.ts"
export type { CatchUpInput, CatchUpReport } from "./billing/inbox/catchUp.ts"
export {
  BillingUpkeep,
  type CreditedInput,
  type CreditedSession,
  type ForgetInput,
  type Forgotten,
  type PaidPerson,
  type PeopleInput,
  type SeveralSubscriptions
} from "./billing/upkeep/BillingUpkeep.ts"
export { type BotName, BotSettings } from "./bots/Bot.ts"
export {
  BotStore,
  type KeyAdded,
  type KeyRetired,
  MAX_SEEN_SITES,
  PublishedBots,
  type SeenSite,
  type StoredBot
} from "./bots/BotStore.ts"
export {
  CONVERSATION_STATES,
  type ConversationState,
  type Handover,
  HANDOVER_LANGUAGES,
  type HandoverLanguage,
  HANDOVER_STATES,
  type HandoverState,
  isWithPerson
} from "./chat/store/Handover.ts"
export {
  type AttachFileInput,
  ConversationFiles,
  type FileAttached,
  type FilesOf
} from "./chat/store/ConversationFiles.ts"
export {
  type Answered,
  type AnswerInput,
  type AskForPersonInput,
  GONE_AFTER_MS,
  type HandoverCounts,
  Handovers,
  MAX_VISITOR_MAILS,
  type OwnedChat,
  type SayInput,
  SEEN_EVERY_MS,
  type VisitorChat
} from "./chat/store/Handovers.ts"
export { AbandonedTries, ChatQuota } from "./chat/limits/chatLimits.ts"
export { PAGE_MESSAGES } from "./chat/ChatService.ts"
export {
  type BeginTurnInput,
  type BotConversation,
  type ChatList,
  type ListedChat,
  ChatRecords,
  ChatStore,
  type ConversationCursor,
  type ConversationPage,
  type ListChatsInput,
  type ListConversationsInput,
  type RemoveUnusedInput,
  type Transcript,
  type TranscriptInput,
  USED_AGAIN_MS
} from "./chat/store/ChatStore.ts"
export { type BotDay, BotReports, type BotSpan, type CitedDocument, LEAST_WORDS } from "./chat/store/BotReports.ts"
export { SharedChats, type ShareInput } from "./chat/sharing/SharedChats.ts"
export { MAX_IMAGE_BYTES, MAX_MESSAGE_IMAGES } from "./chat/images/Image.ts"
export { ImageStore, type StoredImage, UNUSED_IMAGE_MS } from "./chat/images/ImageStore.ts"
export type { Project } from "./chat/projects/Project.ts"
export { ProjectStore } from "./chat/projects/ProjectStore.ts"
export { NO_PREFERENCES, PreferenceStore } from "./preferences/Preferences.ts"
export { AROUND_WORDS, type FoundWords, foundWordsOf, type WordsInText } from "./chat/store/foundWords.ts"
export {
  type ConversationOwner,
  type OwnerKey,
  type ChatShare,
  type PersonOwner,
  type VisitorOwner,
  ownerKey,
  ownerOf,
  MAX_PAGE_BYTES,
  MAX_TRANSCRIPT_BYTES,
  storedBytes
} from "./chat/store/StoredChat.ts"
export type { Reply } from "./chat/reply/Reply.ts"
export { InvalidChatRequest, PromptTooLong } from "./chat/errors.ts"
export { type BuildPromptInput, type Prompt, buildPrompt } from "./chat/prompt/prompt.ts"
export { type QuotedPassage, readPassages } from "./chat/prompt/quotedPassages.ts"
export {
  type ReplyName,
  type EndTurn,
  type ReplyBeat,
  type ReplyBeaten,
  type RunningChat,
  type RunningProgress,
  RunningReplies,
  type RunningReply,
  type WriteReplyInput
} from "./chat/reply/RunningReplies.ts"
export { FairQueue, type FairQueueOptions, FairSlices } from "./fairness/FairQueue.ts"
export {
  type HandledJob,
  type JobHandler,
  jobHandler,
  type JobKind,
  jobKind,
  type JobOf,
  type JobProgress,
  type JobTry,
  retryDelayMs,
  twinOf
} from "./jobs/JobKind.ts"
export { JobQueue } from "./jobs/JobQueue.ts"
export { JOB_STATES, type JobPage, type JobQuery, type JobRecord, type JobState } from "./jobs/JobRecord.ts"
export { JobWorker } from "./jobs/JobWorker.ts"
export { JobPlaces } from "./jobs/JobPlaces.ts"
export { WORKER_ALIVE_MS, WorkerRegistry, type WorkState } from "./jobs/WorkerRegistry.ts"
export { JobNotFailed, JobNotFound } from "./jobs/errors.ts"
export {
  type Admission,
  type AdmitInput,
  type CallLimit,
  CallLimiter,
  type KeepInput,
  type LimitReached
} from "./limits/CallLimiter.ts"
export { SpendLimiter, type SpendInput, type Spending, type SpendLimit, type Spent } from "./limits/SpendLimiter.ts"
export { type CountInput, type Counted, type EventName, RateLimiter } from "./limits/RateLimiter.ts"
export { InputIssue, issuesOf } from "./validation/issuesOf.ts"
export { addressBucket, bareAddress } from "./limits/addressBucket.ts"
export {
  type FoundServiceKey,
  NOTE_USE_EVERY_MS,
  type NewServiceKey,
  type RotateServiceKey,
  ServiceKeyStore
} from "./keys/ServiceKeyStore.ts"
export { type ChatImage, IMAGE_TYPES, ROLES } from "./models/ChatMessage.ts"
export {
  type ChatModel,
  type ChatModelRequest,
  ChatModels,
  type EndPart,
  type InputUsage,
  MODEL_FAILURES,
  ModelFailed,
  type ModelFailure,
  ModelUnavailable,
  type ReplyPart
} from "./models/ChatModel.ts"
export {
  EFFORTS,
  type LongContextRates,
  OMITTABLE_PARAMETERS,
  type OmittableParameter,
  type TokenRates,
  VENDORS
} from "./models/Model.ts"
export { estimateMessageTokens, maxRequestTokens } from "./models/messageTokens.ts"
export {
  type FeedSource,
  type ReplyReader,
  type ReplyLimits,
  defaultReplyLimits,
  type ReplySource,
  replyStream
} from "./models/replyStream.ts"
export { type Asked, SILENT_MS, SilenceWatch, type SilenceWatchOptions } from "./outages/SilenceWatch.ts"
export { withoutRepeats } from "./outages/withoutRepeats.ts"
export { MAIL_FAILURES, type Mail, MailFailed, Mailer, type MailSender } from "./mail/Mailer.ts"
export { type ParleyJob, parleyJobs } from "./parleyJobs.ts"
export { loggerLayer } from "./outages/ParleyLogger.ts"
export { type SealedSecret, SecretBox, type SecretContext } from "./secrets/SecretBox.ts"
export { sha256 } from "./secrets/sha256.ts"
export { type AccessChange, type AccessRecord, type AccessSince, AccessStore } from "./sessions/AccessStore.ts"
export { type RevokedSession, RevokedSessions, type RevokedSince } from "./sessions/RevokedSessions.ts"
export {
  type EmailPerson,
  MOST_TRIES,
  type PendingSignIn,
  type RedeemInput,
  SignInStore
} from "./signin/SignInStore.ts"
export { TransactionConflict, TransactionNotJoined } from "./storage/CallersTransaction.ts"
export { IdGenerator, isUuid, storableText } from "./storage/storedForms.ts"
export {
  Cursor,
  cursorOf,
  cursorOfText,
  notACursor,
  ownCursor,
  type Page,
  pageOf,
  PersonPosition,
  positionIn,
  readCursor
} from "./storage/Cursor.ts"
export { Id } from "./storage/inputs.ts"
export { LaggingReads } from "./storage/LaggingReads.ts"
export type { IdentifiersOf, PortRecord, ServicesOf } from "./storage/PortRecord.ts"
export type { Companion } from "./storage/Companion.ts"
export { StorageFailed } from "./storage/StorageFailed.ts"
export { type Merge, type Reach, storageReach, type Take } from "./storageReach.ts"
export { UnitOfWork } from "./storage/UnitOfWork.ts"
export { instrumentFacts, instruments, beginInstruments } from "./telemetry/instruments.ts"
export type { Instrument, InstrumentFacts } from "./telemetry/Instrument.ts"
export { currentSpan, currentTraceparent, spanFrom, TracedContents } from "./telemetry/trace.ts"
export { type FailureFields, causeCode, causeField, databaseFields, failureFields } from "./storage/failureFields.ts"
export { countOf, momentOf, sizeOf } from "./storage/spokenNumbers.ts"
export { allowancesOf } from "./tiers/CatalogData.ts"
export { Tokenizer } from "./tokens/Tokenizer.ts"
export { pieceTokenizer } from "./tokens/pieceTokenizer.ts"
export { type DayCharges, type DayRevenue, type DaysInput, MoneyRecords } from "./users/MoneyRecords.ts"
export {
  type AccountInUse,
  type ErasedData,
  type EraseInput,
  type ListedPerson,
  type ListPeopleInput,
  PersonalData,
  type StoredData
} from "./users/PersonalData.ts"
export { makeInMemoryVisitorChallenge } from "./widget/InMemoryVisitorChallenge.ts"
export {
  type Challenge,
  type ChallengeAnswer,
  ChallengeUnavailable,
  type ShownChallenge,
  VisitorChallenge
} from "./widget/VisitorChallenge.ts"
