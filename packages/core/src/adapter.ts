/** What an author of adapters uses: the ports, what passes through them, and the rules that every adapter shares. */

export {
  type StorageLayers,
  type StoragePort,
  type StoragePorts,
  inMemoryStorageLayer,
  storageLayer,
  storagePortsFromContext
} from "./StoragePorts.ts"
export { loadPackage, PackageMissing } from "./PackageMissing.ts"
export { heldByScope } from "./background/heldByScope.ts"
export { type BackgroundTaskName, backgroundTasks } from "./backgroundTasks.ts"
export {
  type BillingAccount,
  type BoughtCredits,
  ERASED,
  EVENT_STATES,
  type EventOutcome,
  type EventState,
  type StoredPaymentEvent,
  OTHER_MODE_NOTE,
  noBilling
} from "./billing/BillingAccount.ts"
export {
  BillingStore,
  type ConcludeInput,
  isDone,
  type KeptEvent,
  type LinkInput,
  type Linked,
  type ListEventsInput,
  type Matched,
  type Owner,
  type PaymentSteps,
  type PlainPayment,
  type ReceiveInput,
  type Received,
  type Sale,
  type SalesInput
} from "./billing/BillingStore.ts"
export type { FollowedPeriod, SetAside, TakenBack, TakenBeyond } from "./billing/FollowedPeriod.ts"
export type { InvoiceReport } from "./billing/InvoiceReport.ts"
export * from "./billing/upkeep/BillingUpkeep.ts"
export type { CatchUpInput, CatchUpReport, HandledEvent } from "./billing/inbox/catchUp.ts"
export { PaymentInbox } from "./billing/PaymentInbox.ts"
export type {
  PaidPeriod,
  PeriodPayment,
  SeenPrice,
  SubscriptionFacts,
  SubscriptionReport
} from "./billing/SubscriptionFacts.ts"
export type * from "./billing/PaymentEvent.ts"
export {
  type CheckoutInput,
  type CheckoutLink,
  type CloseCheckoutsInput,
  type CreateCustomerInput,
  type Invoice,
  type InvoicesInput,
  type LookUpFailed,
  PaymentGateway,
  type PortalInput,
  type PriceOffer,
  type SignedEvent,
  type SinceInput
} from "./billing/PaymentGateway.ts"
export {
  InvalidSignature,
  PaymentEventNotFound,
  PAYMENT_OBJECTS,
  type PaymentFailed,
  type PaymentObject,
  PaymentObjectNotFound,
  PaymentObjectUnreadable,
  PaymentRefused,
  PaymentUnavailable,
  PaymentsNotConfigured,
  SIGNATURE_PROBLEMS
} from "./billing/errors.ts"
export type { Bot, BotKey, BotName, BotSettings } from "./bots/Bot.ts"
export { BotStore, type KeyAdded, type KeyRetired, type StoredBot } from "./bots/BotStore.ts"
export { AbandonedTries } from "./chat/AbandonedTries.ts"
export { ChatQuota } from "./chat/ChatQuota.ts"
export { ChatRequest } from "./chat/ChatRequest.ts"
export { type ChatOwner, type ChatPage, ChatService, PAGE_MESSAGES } from "./chat/ChatService.ts"
export {
  type BeginTurnInput,
  type BotConversation,
  type ChatList,
  ChatStore,
  type ConversationCursor,
  type ConversationPage,
  type EndTurnInput,
  type ListChatsInput,
  type ListConversationsInput,
  MAX_PAGE_BYTES,
  MAX_TRANSCRIPT_BYTES,
  type Transcript,
  type TranscriptInput,
  storedBytes
} from "./chat/ChatStore.ts"
export {
  type ConversationOwner,
  type OwnerKey,
  type PersonOwner,
  type VisitorOwner,
  ownerKey,
  ownerOf
} from "./chat/ConversationOwner.ts"
export { ModelOffers, type OfferedModel } from "./chat/ModelOffers.ts"
export type { Reply } from "./chat/Reply.ts"
export type { ReplyParties } from "./chat/ReplyParties.ts"
export type { Chat, MessageState, Source, StoredMessage } from "./chat/StoredMessage.ts"
export { InvalidChatRequest, PromptTooLong } from "./chat/errors.ts"
export { type QuotedPassage, readPassages } from "./chat/passageQuotes.ts"
export { type BuildPromptInput, type Prompt, buildPrompt } from "./chat/prompt.ts"
export {
  type ReplyName,
  type ReplyWritten,
  RunningReplies,
  type RunningChat,
  type RunningProgress,
  type RunningReply,
  type WriteReplyInput
} from "./chat/running/RunningReplies.ts"
export type { Account, Balance, Buckets, RenewedBy } from "./credits/Account.ts"
export { Accounts } from "./credits/Accounts.ts"
export type { Payment } from "./credits/Correction.ts"
export { DEFAULT_REPLIES, type ReplySettingsData, replySettingsOver } from "./chat/ReplySettings.ts"
export { checkTiers } from "./credits/checkTiers.ts"
export { CreditLedger, type HistoryInput, type HistoryPage, type TierCount } from "./credits/CreditLedger.ts"
export { CreditOperations, creditOperations } from "./credits/CreditOperations.ts"
export { CreditService } from "./credits/CreditService.ts"
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
export { type UsageInput, type UsageRow, dayText, parseDay } from "./credits/UsageReport.ts"
export { SOURCE_KINDS, type SourceKind, UsageSource } from "./credits/UsageSource.ts"
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
} from "./credits/errors.ts"
export type { Hold, HoldEnd, HoldName, Reserved } from "./credits/holds/Hold.ts"
export { HoldHeartbeat } from "./credits/holds/HoldHeartbeat.ts"
export { HoldTtl } from "./credits/holds/HoldTtl.ts"
export { type HoldProgress, NOTHING_RENEWED, type RenewInput, type Renewed } from "./credits/holds/Renewal.ts"
export { NOTHING_SWEPT, type SweepInput, type Swept, addSwept } from "./credits/holds/Sweep.ts"
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
} from "./credits/rules/LedgerState.ts"
export type { Split } from "./credits/rules/buckets.ts"
export { type CloseInput, closeOperation } from "./credits/rules/closeAccount.ts"
export { type Decisions, type LoadedAccount, NO_ACCOUNT, decideAll } from "./credits/rules/decideAll.ts"
export { expireOperation, sweptBy } from "./credits/rules/decideExpiry.ts"
export type { SettleRefusal } from "./credits/rules/decideHold.ts"
export type { OnceRefusal } from "./credits/rules/decideOnce.ts"
export type { FollowedPlan, FollowPlanInput, LeftPeriod, PeriodRest, PlanTerms } from "./credits/rules/followPlan.ts"
export { type Period, periodAt, periodStart } from "./credits/rules/period.ts"
export { priceOf } from "./credits/rules/price.ts"
export type { PurchaseState } from "./credits/rules/purchase.ts"
export type { CorrectionReport } from "./credits/rules/reportedCorrection.ts"
export {
  NO_TRANSACTIONS,
  type TransactionCounts,
  countsOf,
  withTransaction
} from "./credits/rules/transactionCounts.ts"
export { type UsageByKind, dayOf } from "./credits/rules/usageByKind.ts"
export { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
export {
  type DueInput,
  type ResetChunk,
  type ResetInput,
  type ResetRange,
  type TierReset,
  noResets,
  type TierResets
} from "./credits/upkeep/ResetChunk.ts"
export { type ResetReport, ResetService } from "./credits/upkeep/ResetService.ts"
export type { Difference, Invariant, VerifyChunk, VerifyInput } from "./credits/upkeep/Verification.ts"
export {
  DOCUMENT_STATUSES,
  type Document,
  type DocumentKey,
  type DocumentStatus,
  type FoundPassage,
  type Passage
} from "./documents/Document.ts"
export { DOCUMENT_FAILURES, type DocumentFailure, mayBeReadAgain } from "./documents/reading/DocumentFailure.ts"
export { DocumentParser, DocumentUnreadable, type ParsedDocument } from "./documents/reading/DocumentParser.ts"
export { DocumentRequeue } from "./documents/reading/DocumentRequeue.ts"
export { DocumentService, type UploadInput } from "./documents/DocumentService.ts"
export {
  type DocumentChange,
  type DocumentQuota,
  DocumentStore,
  type Inserted
} from "./documents/storing/DocumentStore.ts"
export {
  EMBEDDING_FAILURES,
  Embedder,
  type EmbedderLimits,
  type Embedding,
  EmbeddingFailed,
  type EmbeddingFailure,
  type EmbeddingResult
} from "./documents/embedding/Embedder.ts"
export { type ReindexClaim, type ReindexRun, ReindexStore } from "./documents/indexing/reindexing/ReindexStore.ts"
export { FileMover } from "./documents/storing/FileMover.ts"
export { type FilesMoved, FileStore, NOTHING_MOVED } from "./documents/storing/FileStore.ts"
export { type Objects, ObjectStore } from "./documents/storing/ObjectStore.ts"
export {
  type EmbedTexts,
  embeddedText,
  embeddingModel,
  embedQuery,
  embedTexts,
  requestsOf
} from "./documents/embedding/embedPassages.ts"
export { INDEXING_VERSION } from "./documents/indexing/textFingerprint.ts"
export { sha256 } from "./secrets/sha256.ts"
export { type IndexedBy, type Indexing, isIndexedBy } from "./documents/indexing/IndexedBy.ts"
export { type Crowd, type FusedCandidate, FUSION, fusedScores } from "./documents/fuseScores.ts"
export { RELEVANCE, relevantPassages } from "./documents/relevance/relevantPassages.ts"
export {
  RERANKED_SHARE,
  Reranker,
  type RerankerService,
  RerankFailed,
  rerankFound,
  type RerankInput
} from "./documents/Reranker.ts"
export { PassageEmbedder } from "./documents/embedding/PassageEmbedder.ts"
export { FEEDBACK, type FeedbackCandidate, type FeedbackStatistics, feedbackScores } from "./documents/feedback.ts"
export { type Heading, headingPath } from "./documents/reading/Heading.ts"
export { InMemoryDocumentStore } from "./documents/storing/InMemoryDocumentStore.ts"
export {
  type InMemoryEmbedderOptions,
  inMemoryEmbedderLayer,
  makeInMemoryEmbedder
} from "./documents/embedding/InMemoryEmbedder.ts"
export { InMemoryPassageIndex } from "./documents/InMemoryPassageIndex.ts"
export {
  type AddedPassages,
  type BeginGeneration,
  type BegunGeneration,
  type Generation,
  GenerationGone,
  type IndexedDocument,
  NOTHING_EMBEDDED,
  PassageIndex,
  type PutDocument,
  type SearchInput
} from "./documents/PassageIndex.ts"
export type { ReadingLimitsData } from "./documents/reading/ReadingLimits.ts"
export { UploadLimits, type UploadLimitsData } from "./documents/storing/UploadLimits.ts"
export { BM25 } from "./documents/bm25.ts"
export { cutPassages } from "./documents/indexing/cutPassages.ts"
export {
  DOCUMENT_TYPES,
  DOCUMENT_TYPE_TABLE,
  type DocumentType,
  PARSED_DOCUMENT_TYPES,
  type ParserKind,
  documentType
} from "./documents/documentTypes.ts"
export { type EmbedBatches, embedBatches } from "./documents/embedding/embedBatches.ts"
export { FileRejected, fileTooLarge } from "./documents/errors.ts"
export { type Excerpt, type ExcerptInput, excerptOf, type PageSpan } from "./documents/indexing/excerpt.ts"
export { type IndexDocument, indexDocument, PASSAGES_PER_BATCH } from "./documents/indexing/indexDocument.ts"
export { isUuid } from "./storage/isUuid.ts"
export { Ocr, OcrFailed, type OcrService, type ScannedPicture } from "./documents/reading/Ocr.ts"
export { FUNCTION_WORDS, LANGUAGES, type Language, languageOf } from "./documents/languageOf.ts"
export { ProcessDocument } from "./documents/reading/processDocument.ts"
export { type ReflowedText, type SharedRun, reflow, shownSpan, sourceSpan } from "./documents/reading/reflow.ts"
export { passageWords } from "./documents/passageWords.ts"
export { SEARCH_LANGUAGES, type SearchLanguage, searchLanguageOf } from "./documents/searchLanguage.ts"
export { foldedTerm } from "./documents/foldedTerm.ts"
export { accentedWords, plainTerm, plainWord } from "./documents/plainWords.ts"
export { searchableQuery, searchableText } from "./documents/searchableText.ts"
export { type TextSpan, splitSentences } from "./documents/reading/splitSentences.ts"
export { type PassageProblem, verifyPassages } from "./documents/indexing/verifyPassages.ts"
export { RoundRobin } from "./fairness/RoundRobin.ts"
export * from "./identity/forAdapters.ts"
export { type HandledJob, type JobHandler, type JobProgress, type JobTry, jobHandler } from "./jobs/JobHandler.ts"
export { type JobKind, type JobOf, jobKind, retryDelayMs, twinOf } from "./jobs/JobKind.ts"
export { JobQueue } from "./jobs/JobQueue.ts"
export { JOB_STATES, type JobPage, type JobQuery, type JobRecord, type JobState } from "./jobs/JobRecord.ts"
export { JobWorker } from "./jobs/JobWorker.ts"
export { Turns } from "./jobs/Turns.ts"
export { JobNotFailed, JobNotFound } from "./jobs/errors.ts"
export {
  type Admission,
  type AdmitInput,
  type CallLimit,
  CallLimiter,
  type KeepInput,
  type LimitReached
} from "./limits/CallLimiter.ts"
export { addressBucket } from "./limits/addressBucket.ts"
export { type CountInput, type Counted, type EventName, RateLimiter } from "./limits/RateLimiter.ts"
export { withoutRepeats } from "./outages/withoutRepeats.ts"
export { type Asked, SILENT_MS, SilenceWatch, type SilenceWatchOptions } from "./outages/SilenceWatch.ts"
export { type ChatMessage, ROLES, type Role } from "./models/ChatMessage.ts"
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
  type Effort,
  type LongContextRates,
  type Model,
  type ModelPrice,
  OMITTABLE_PARAMETERS,
  type OmittableParameter,
  type TokenRates,
  VENDORS,
  type Vendor
} from "./models/Model.ts"
export { Usage } from "./models/Usage.ts"
export { estimateMessageTokens, maxRequestTokens } from "./models/messageTokens.ts"
export type { FeedSource, ReplyReader } from "./models/replyFeed.ts"
export { type ReplyLimits, defaultReplyLimits } from "./models/replyPatience.ts"
export { type ReplySource, replyStream } from "./models/replyStream.ts"
export { type ParleyJob, parleyJobs } from "./parleyJobs.ts"
export { type ParleyPorts, type ParleyServices, parleyLayer } from "./parleyLayer.ts"
export type { Parley, SentReply } from "./promise/Parley.ts"
export { type ParleyOptions, createParley } from "./promise/createParley.ts"
export { loggerLayer, type ParleyLogger } from "./promise/ParleyLogger.ts"
export { openInMemory, type OpenInMemoryOptions } from "./promise/openInMemory.ts"
export { IdGenerator } from "./storage/IdGenerator.ts"
export type { IdentifiersOf, PortRecord, ServicesOf } from "./storage/PortRecord.ts"
export { StorageFailed } from "./storage/StorageFailed.ts"
export { type CallersTransaction, TransactionConflict, TransactionNotJoined } from "./storage/CallersTransaction.ts"
export { UnitOfWork } from "./storage/UnitOfWork.ts"
export { countOf, momentOf, sizeOf } from "./storage/spokenNumbers.ts"
export { causeCode, causeField, databaseFields, type FailureFields, failureFields } from "./storage/failureFields.ts"
export { storableText } from "./storage/storableText.ts"
export { allowancesOf, Catalog, findTier, lowestTier, makeCatalog, tierOf } from "./tiers/Catalog.ts"
export type { CatalogData, Purchase, WidgetLimits } from "./tiers/CatalogData.ts"
export { defaultCatalog } from "./tiers/shippedCatalog.ts"
export type { Tier, TierName } from "./tiers/Tier.ts"
export { Tokenizer } from "./tokens/Tokenizer.ts"
export type { TokenCount, TokenizerService } from "./tokens/TokenizerService.ts"
export { pieceTokenizer } from "./tokens/pieceTokenizer.ts"
export { type AccountInUse, type EraseInput, PersonalData, type StoredData } from "./users/PersonalData.ts"
export { UserService } from "./users/UserService.ts"
export { VisitorGate } from "./widget/VisitorGate.ts"
export { type RevokedSession, RevokedSessions, type RevokedSince } from "./sessions/RevokedSessions.ts"
export { type AuditEntry, AuditLog, type ListAuditInput, type StoredAuditEntry } from "./audit/AuditLog.ts"
export * from "./crm/forAdapters.ts"
export { SecretBox, type SealedSecret, type SecretContext } from "./secrets/SecretBox.ts"
export * from "./events/forAdapters.ts"
