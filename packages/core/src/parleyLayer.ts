import { Layer } from "effect"
import { BillingService } from "./billing/BillingService.ts"
import type { PaymentPorts } from "./billing/provider/PaymentProvider.ts"
import { PaymentComparison } from "./billing/compare/PaymentComparison.ts"
import { PaymentInbox } from "./billing/PaymentInbox.ts"
import { PaymentCatchUp } from "./billing/upkeep/PaymentCatchUp.ts"
import { PaymentEventSweeper } from "./billing/upkeep/PaymentEventSweeper.ts"
import { ActiveBots, BotService } from "./bots/BotService.ts"
import { InstallChecks } from "./bots/InstallChecks.ts"
import { AppointmentBook } from "./crm/AppointmentBook.ts"
import { CrmAccess } from "./crm/CrmAccess.ts"
import type { CrmProviders } from "./crm/CrmProvider.ts"
import { CrmRelease } from "./crm/CrmRelease.ts"
import { CrmService } from "./crm/CrmService.ts"
import { SecretRotation } from "./crm/SecretRotation.ts"
import type { SecretBox } from "./secrets/SecretBox.ts"
import { AbandonedTries, ChatQuota } from "./chat/limits/chatLimits.ts"
import type { ChatModels } from "./models/ChatModel.ts"
import { ReplyBeats } from "./chat/reply/runReply.ts"
import { ReplyRunner } from "./chat/reply/ReplyRunner.ts"
import { ChatTitles } from "./chat/titles/ChatTitles.ts"
import { ChatService } from "./chat/ChatService.ts"
import { Accounts } from "./credits/Accounts.ts"
import { CreditService } from "./credits/CreditService.ts"
import { countedLedgerLayer } from "./credits/holds/countedLedger.ts"
import { WorkMeter } from "./credits/metering/WorkMeter.ts"
import { DailyVerification } from "./credits/upkeep/DailyVerification.ts"
import { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
import { ResetService } from "./credits/upkeep/ResetService.ts"
import type { DocumentParser } from "./documents/reading/DocumentParser.ts"
import { DocumentRequeue } from "./documents/reading/DocumentRequeue.ts"
import { DocumentService } from "./documents/DocumentService.ts"
import { DocumentReindex } from "./documents/indexing/reindexing/DocumentReindex.ts"
import { Reindexing } from "./documents/indexing/reindexing/Reindexing.ts"
import { FileMover } from "./documents/storing/FileMover.ts"
import { EventDelivery } from "./events/EventDelivery.ts"
import { EventService } from "./events/EventService.ts"
import { JobService } from "./jobs/JobService.ts"
import { EventFeed } from "./keys/EventFeed.ts"
import { CallGate } from "./limits/CallGate.ts"
import { CallLimitSweeper } from "./limits/CallLimitSweeper.ts"
import type { StoragePort } from "./StoragePorts.ts"
import type { JobWorker } from "./jobs/JobWorker.ts"
import type { Catalog } from "./tiers/Catalog.ts"
import { parleyJobWorker } from "./parleyJobs.ts"
import { ModelOffers } from "./chat/ModelOffers.ts"
import { ConversationService } from "./widget/ConversationService.ts"
import { WidgetService } from "./widget/WidgetService.ts"
import { ImageService } from "./chat/images/ImageService.ts"
import { ProjectService } from "./chat/projects/ProjectService.ts"
import { PreferenceService } from "./preferences/Preferences.ts"
import { RetentionSweeper } from "./retention/RetentionSweeper.ts"
import { SecurityEvents } from "./security/SecurityEvents.ts"
import { AccessList } from "./sessions/AccessList.ts"
import { ServiceKeys } from "./keys/ServiceKeys.ts"
import { EmailSignIn } from "./signin/EmailSignIn.ts"
import { SignOut } from "./sessions/SignOut.ts"
import { UserImport } from "./users/importing/UserImport.ts"
import { UserExport } from "./users/UserExport.ts"
import { MoneyReports } from "./users/MoneyReports.ts"
import { OperatorActions } from "./users/OperatorActions.ts"
import { OperatorReports } from "./users/OperatorReports.ts"
import { OperatorTiers } from "./users/OperatorTiers.ts"
import { UserAccess } from "./users/UserAccess.ts"
import { UserService } from "./users/UserService.ts"
import { BotAnalytics } from "./widget/analytics/BotAnalytics.ts"
import { HandoverService } from "./widget/handover/HandoverService.ts"
import { VisitorGate } from "./widget/VisitorGate.ts"

/** The services of Parley. */
export type ParleyServices =
  | ActiveBots
  | AccessList
  | AppointmentBook
  | BillingService
  | BotAnalytics
  | BotService
  | CallLimitSweeper
  | ChatService
  | ConversationService
  | CreditService
  | CrmAccess
  | CrmService
  | DailyVerification
  | DocumentReindex
  | DocumentRequeue
  | DocumentService
  | Reindexing
  | EmailSignIn
  | EventDelivery
  | EventFeed
  | EventService
  | FileMover
  | HandoverService
  | HoldSweeper
  | InstallChecks
  | JobService
  | JobWorker
  | ModelOffers
  | PaymentCatchUp
  | PreferenceService
  | ImageService
  | ProjectService
  | PaymentComparison
  | PaymentEventSweeper
  | PaymentInbox
  | ReplyRunner
  | ResetService
  | RetentionSweeper
  | SecretRotation
  | SecurityEvents
  | ServiceKeys
  | SignOut
  | UserAccess
  | UserExport
  | UserImport
  | MoneyReports
  | OperatorActions
  | OperatorReports
  | OperatorTiers
  | UserService
  | VisitorGate
  | WidgetService
  | WorkMeter

/** The requirements of Parley: the ports, and the catalog. */
export type ParleyPorts = Catalog | ChatModels | CrmProviders | DocumentParser | PaymentPorts | SecretBox | StoragePort

/** All services, built on the ports; users of Effect provide adapters to this layer. */
export const parleyLayer: Layer.Layer<ParleyServices, never, ParleyPorts> = Layer.mergeAll(
  AppointmentBook.unavailable,
  Layer.provideMerge(Layer.mergeAll(BillingService.layer, PaymentCatchUp.layer, UserImport.layer), PaymentInbox.layer),
  CallLimitSweeper.layer,
  CrmAccess.layer,
  CrmService.layer,
  DocumentReindex.layer,
  DocumentRequeue.layer,
  DocumentService.layer,
  EmailSignIn.layer,
  EventDelivery.layer,
  EventFeed.layer,
  EventService.layer,
  JobService.layer,
  FileMover.layer,
  HoldSweeper.layer,
  Layer.provideMerge(Layer.provide(parleyJobWorker, [BotService.layer, CallGate.layer]), Reindexing.layer),
  PaymentComparison.layer,
  PaymentEventSweeper.layer,
  ResetService.layer,
  RetentionSweeper.layer,
  ModelOffers.layer,
  SecretRotation.layer,
  ServiceKeys.layer,
  SignOut.layer,
  UserExport.layer,
  UserService.layer,
  Layer.provideMerge(
    Layer.mergeAll(DailyVerification.layer, MoneyReports.layer, OperatorActions.layer, OperatorReports.layer),
    Layer.mergeAll(CreditService.layer, OperatorTiers.layer, UserAccess.layer)
  ),
  Layer.provideMerge(
    Layer.mergeAll(BotAnalytics.layer, ConversationService.layer, HandoverService.layer, WidgetService.layer),
    Layer.mergeAll(ActiveBots.layer, BotService.layer, ChatService.layer, InstallChecks.layer, VisitorGate.layer)
  )
).pipe(
  Layer.provideMerge(Layer.provide(ReplyRunner.layer, Layer.merge(ReplyBeats.layer, ChatTitles.layer))),
  Layer.provideMerge(
    Layer.mergeAll(ImageService.layer, PreferenceService.layer, ProjectService.layer, WorkMeter.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(AccessList.layer, SecurityEvents.layer)),
  Layer.provide(Layer.mergeAll(AbandonedTries.layer, Accounts.layer, ChatQuota.layer)),
  Layer.provide(CrmRelease.farewellLayer),
  Layer.provide(CrmRelease.layer),
  Layer.provide(countedLedgerLayer)
)
