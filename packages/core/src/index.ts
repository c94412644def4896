/** The entry for applications: `createParley`, the types of its calls, and the events and prices in its results. */

export type { StoragePorts } from "./StoragePorts.ts"
export { BACKGROUND_TASKS, type BackgroundTaskName } from "./backgroundTasks.ts"
export type {
  Buyer,
  CheckoutLinkInput,
  Offer,
  PaidSubscription,
  PortalLinkInput,
  SubscriptionState
} from "./billing/BillingService.ts"
export type { Invoice } from "./billing/provider/PaymentGateway.ts"
export type { SignedEvent } from "./billing/provider/PaymentReports.ts"
export type { HandledEvent } from "./billing/inbox/catchUp.ts"
export type { Bot, BotKey } from "./bots/Bot.ts"
export { BotChange, BotDraft } from "./bots/BotDraft.ts"
export { ChatRequest } from "./chat/ChatRequest.ts"
export type { ChatOwner, ChatPage, ReadChat } from "./chat/ChatService.ts"
export { onePerson } from "./chat/sendMessages.ts"
export type { OnDisconnect } from "./chat/reply/Reply.ts"
export type { OfferedModel } from "./chat/ModelOffers.ts"
export type { PromptBuilder, PromptParts } from "./chat/prompt/PromptBuilder.ts"
export type { ReplyParties, ReplyTerms } from "./chat/reply/Reply.ts"
export type { Chat, MessageState, StoredMessage } from "./chat/store/StoredChat.ts"
export type { Account, Balance, Buckets, RenewedBy } from "./credits/Account.ts"
export type {
  AdjustInput,
  ChargedPurchase,
  DisputeInput,
  Payment,
  PurchaseReport,
  RefundInput
} from "./credits/Purchase.ts"
export type { HistoryInput, HistoryPage } from "./credits/CreditLedger.ts"
export type { GrantInput } from "./credits/rules/grantsAndCorrections.ts"
export type { OpenAccountInput } from "./credits/rules/openAndClose.ts"
export type { Receipt, ReceiptLine, ReplyEnd, ReplyReceipt, WorkEnd, WorkReceipt } from "./credits/Transaction.ts"
export type { Transaction, TransactionType } from "./credits/Transaction.ts"
export type { UsageInput, UsageRow } from "./credits/UsageReport.ts"
export { type SpenderKind, Spender } from "./credits/Spender.ts"
export type { JsonOf, MeteredWork, WorkBound, WorkName, WorkPayment, WorkReport } from "./credits/metering/Metering.ts"
export { maxPriceOf, priceOf } from "./credits/rules/price.ts"
export type { TierChange } from "./credits/rules/tierChange.ts"
export type { CrmAccessToken } from "./crm/CrmAccess.ts"
export type { CrmConnectionName } from "./crm/CrmConnectionStore.ts"
export type { CrmProviderId } from "./crm/CrmProvider.ts"
export type { Revocation } from "./crm/CrmRelease.ts"
export type {
  BegunConnection,
  CallbackError,
  CallbackInput,
  CallbackOutcome,
  ConnectInput,
  CrmOffer
} from "./crm/CrmService.ts"
export type { Document, DocumentStatus } from "./documents/Document.ts"
export type { DocumentFile, ExcerptOfDocument, PartOfDocument, UploadInput } from "./documents/DocumentService.ts"
export type { DocumentType } from "./documents/documentTypes.ts"
export type { Excerpt, PageSpan } from "./documents/indexing/excerpt.ts"
export { textParser } from "./documents/reading/textParser.ts"
export type { LowBalanceSetting } from "./events/LowBalance.ts"
export {
  type BalanceLow,
  type CreditsCharged,
  type CreditsPurchased,
  type CreditsRefunded,
  type ConversationWaiting,
  type DocumentFailed,
  type DocumentReady,
  EVENT_TYPES,
  type EventTokens,
  type EventType,
  type ParleyEvent,
  type PlanChanged,
  type ReplyFinished,
  type ReplyRated,
  type SecurityEvent,
  type SecurityEventName
} from "./events/ParleyEvent.ts"
export type { ParleyHooks } from "./events/hooks.ts"
export type { WebhookEndpoint, WebhookOptions } from "./events/webhooks.ts"
export { UserId } from "./identity/UserId.ts"
export { SERVICE_SCOPES, type ServiceKey, type ServiceScope } from "./keys/ServiceKey.ts"
export type { CreateServiceKey, IssuedServiceKey } from "./keys/ServiceKeys.ts"
export type { ChatMessage, Role } from "./models/ChatMessage.ts"
export { type Effort, type Model, type ModelPrice, type Vendor } from "./models/Model.ts"
export { modelPrice } from "./credits/rules/price.ts"
export { Usage } from "./models/Usage.ts"
export type { CreditCalls, JoinedCreditCalls, RunningWork } from "./promise/creditCalls.ts"
export type { OpenedFile, Parley, SentReply } from "./promise/Parley.ts"
export type { DatabaseProblem, ParleyError } from "./ParleyError.ts"
export type { LogFields, ParleyLogger } from "./outages/ParleyLogger.ts"
export type { PersonLine } from "./users/importing/PersonLine.ts"
export type { ImportReport } from "./users/importing/UserImport.ts"
export { type ParleyOptions, createParley } from "./promise/createParley.ts"
export { errorStatuses, isParleyError } from "./errorStatuses.ts"
export { type OpenInMemoryOptions, openInMemory } from "./promise/openInMemory.ts"
export type { ParleySettings } from "./parleySettings.ts"
export type { SignOutInput } from "./sessions/SignOut.ts"
export type { CallersClient, CallersClients, CallersTransaction } from "./storage/CallersTransaction.ts"
export { makeCatalog } from "./tiers/Catalog.ts"
export type { CatalogData, Purchase, WidgetLimits } from "./tiers/CatalogData.ts"
export type { Tier, TierName } from "./tiers/Tier.ts"
export { defaultCatalog } from "./tiers/shippedCatalog.ts"
export type { TokenCount, TokenizerService } from "./tokens/TokenizerService.ts"
