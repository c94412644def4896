import { type Context, Effect, Layer } from "effect"
import { AuditLog } from "./audit/AuditLog.ts"
import { InMemoryAuditLog } from "./audit/InMemoryAuditLog.ts"
import { InMemoryTaskRuns } from "./background/InMemoryTaskRuns.ts"
import { TaskRuns } from "./background/TaskRuns.ts"
import { BillingStore } from "./billing/BillingStore.ts"
import { InMemoryBillingStore } from "./billing/InMemoryBillingStore.ts"
import { PaymentEventStore } from "./billing/inbox/PaymentEventStore.ts"
import { BillingUpkeep } from "./billing/upkeep/BillingUpkeep.ts"
import { InMemoryBillingUpkeep } from "./billing/upkeep/InMemoryBillingUpkeep.ts"
import { BotStore, PublishedBots } from "./bots/BotStore.ts"
import { InMemoryBotStore } from "./bots/InMemoryBotStore.ts"
import { ImageStore } from "./chat/images/ImageStore.ts"
import { InMemoryImageStore } from "./chat/images/InMemoryImageStore.ts"
import { ChatRecords, ChatStore } from "./chat/store/ChatStore.ts"
import { InMemoryChatStore } from "./chat/store/InMemoryChatStore.ts"
import { BotReports } from "./chat/store/BotReports.ts"
import { InMemoryBotReports } from "./chat/store/InMemoryBotReports.ts"
import { ConversationFiles } from "./chat/store/ConversationFiles.ts"
import { InMemoryConversationFiles } from "./chat/store/InMemoryConversationFiles.ts"
import { Handovers } from "./chat/store/Handovers.ts"
import { InMemoryHandovers } from "./chat/store/InMemoryHandovers.ts"
import { InMemoryRunningReplies } from "./chat/reply/InMemoryRunningReplies.ts"
import { InMemoryProjectStore } from "./chat/projects/InMemoryProjectStore.ts"
import { ProjectStore } from "./chat/projects/ProjectStore.ts"
import { InMemorySharedChats } from "./chat/sharing/InMemorySharedChats.ts"
import { SharedChats } from "./chat/sharing/SharedChats.ts"
import { RunningReplies } from "./chat/reply/RunningReplies.ts"
import { CrmConnectionStore, SealedConnections } from "./crm/CrmConnectionStore.ts"
import { InMemoryCrmConnectionStore } from "./crm/InMemoryCrmConnectionStore.ts"
import { InMemoryOAuthStateStore } from "./crm/InMemoryOAuthStateStore.ts"
import { OAuthStateStore } from "./crm/OAuthStateStore.ts"
import { CreditLedger, CreditRecords, CreditUpkeep } from "./credits/CreditLedger.ts"
import { InMemoryCreditLedger } from "./credits/InMemoryCreditLedger.ts"
import { DocumentStore } from "./documents/storing/DocumentStore.ts"
import { FileStore } from "./documents/storing/FileStore.ts"
import { InMemoryDocumentStore } from "./documents/storing/InMemoryDocumentStore.ts"
import { InMemoryFileStore } from "./documents/storing/InMemoryFileStore.ts"
import { InMemoryPassageIndex } from "./documents/indexing/InMemoryPassageIndex.ts"
import { PassageIndex } from "./documents/indexing/PassageIndex.ts"
import { PassageWriter } from "./documents/indexing/PassageWriter.ts"
import { InMemoryReindexStore } from "./documents/indexing/reindexing/InMemoryReindexStore.ts"
import { ReindexRecords } from "./documents/indexing/reindexing/ReindexRecords.ts"
import { ReindexStore } from "./documents/indexing/reindexing/ReindexStore.ts"
import { InMemoryOutbox } from "./events/InMemoryOutbox.ts"
import { DeliveryRecords, Outbox } from "./events/Outbox.ts"
import { InMemoryJobQueue } from "./jobs/InMemoryJobQueue.ts"
import { JobQueue } from "./jobs/JobQueue.ts"
import { WorkerRegistry } from "./jobs/WorkerRegistry.ts"
import { InMemoryServiceKeyStore } from "./keys/InMemoryServiceKeyStore.ts"
import { ServiceKeyStore } from "./keys/ServiceKeyStore.ts"
import { CallLimiter } from "./limits/CallLimiter.ts"
import { InMemoryCallLimiter } from "./limits/InMemoryCallLimiter.ts"
import { InMemoryRateLimiter } from "./limits/InMemoryRateLimiter.ts"
import { InMemorySpendLimiter } from "./limits/InMemorySpendLimiter.ts"
import { RateLimiter } from "./limits/RateLimiter.ts"
import { SpendLimiter } from "./limits/SpendLimiter.ts"
import { InMemoryPreferenceStore } from "./preferences/InMemoryPreferenceStore.ts"
import { PreferenceStore } from "./preferences/Preferences.ts"
import { AccessStore } from "./sessions/AccessStore.ts"
import { InMemoryAccessStore } from "./sessions/InMemoryAccessStore.ts"
import { InMemoryRevokedSessions } from "./sessions/InMemoryRevokedSessions.ts"
import { RevokedSessions } from "./sessions/RevokedSessions.ts"
import { InMemorySignInStore } from "./signin/InMemorySignInStore.ts"
import { SignInStore } from "./signin/SignInStore.ts"
import { InMemoryUnitOfWork } from "./storage/InMemoryStorage.ts"
import { type IdentifiersOf, type ServicesOf, servicesFrom, servicesLayer } from "./storage/PortRecord.ts"
import { UnitOfWork } from "./storage/UnitOfWork.ts"
import { InMemoryMoneyRecords } from "./users/InMemoryMoneyRecords.ts"
import { InMemoryPersonalData } from "./users/InMemoryPersonalData.ts"
import { MoneyRecords } from "./users/MoneyRecords.ts"
import { PersonalData } from "./users/PersonalData.ts"

/** Describes a port that stores data, with its store in memory. */
const storagePort = <Port extends Context.Key<unknown, unknown>>(
  port: Port,
  inMemory: Layer.Layer<Port["Identifier"]>
) => ({
  port,
  inMemory
})

/** One layer for two ports, so that both see the same passages. */
const inMemoryPassages = Layer.provide(InMemoryPassageIndex.layer, InMemoryDocumentStore.layer)
const inMemoryReindexing = Layer.provide(InMemoryReindexStore.layer, [InMemoryDocumentStore.layer, inMemoryPassages])

/**
 * All ports that store data: the only list. `createParley` takes the stores by these names. To add a port, add a line
 * here and one to the record of layers in each adapter, which does not compile without it.
 *
 * The same adapter must implement the ledger, the chats and the running replies, because the end of a reply is one
 * commit in all three.
 */
const storagePorts = {
  audit: storagePort(AuditLog, InMemoryAuditLog.layer),
  billing: storagePort(BillingStore, InMemoryBillingStore.layer),
  paymentEvents: storagePort(PaymentEventStore, InMemoryBillingStore.layer),
  billingUpkeep: storagePort(BillingUpkeep, InMemoryBillingUpkeep.layer),
  bots: storagePort(BotStore, InMemoryBotStore.layer),
  publishedBots: storagePort(PublishedBots, InMemoryBotStore.layer),
  ledger: storagePort(CreditLedger, InMemoryCreditLedger.layer),
  creditRecords: storagePort(CreditRecords, InMemoryCreditLedger.layer),
  creditUpkeep: storagePort(CreditUpkeep, InMemoryCreditLedger.layer),
  chats: storagePort(ChatStore, InMemoryChatStore.layer),
  chatRecords: storagePort(ChatRecords, InMemoryChatStore.layer),
  sharedChats: storagePort(SharedChats, InMemorySharedChats.layer),
  images: storagePort(ImageStore, InMemoryImageStore.layer),
  projects: storagePort(ProjectStore, InMemoryProjectStore.layer),
  preferences: storagePort(PreferenceStore, InMemoryPreferenceStore.layer),
  botReports: storagePort(BotReports, InMemoryBotReports.layer),
  conversationFiles: storagePort(ConversationFiles, InMemoryConversationFiles.layer),
  handovers: storagePort(Handovers, InMemoryHandovers.layer),
  runningReplies: storagePort(RunningReplies, InMemoryRunningReplies.layer),
  crmConnections: storagePort(CrmConnectionStore, InMemoryCrmConnectionStore.layer),
  sealedConnections: storagePort(SealedConnections, InMemoryCrmConnectionStore.layer),
  oauthStates: storagePort(OAuthStateStore, InMemoryOAuthStateStore.layer),
  documents: storagePort(DocumentStore, InMemoryDocumentStore.layer),
  files: storagePort(FileStore, InMemoryFileStore.layer),
  passages: storagePort(PassageIndex, inMemoryPassages),
  passageWriter: storagePort(PassageWriter, inMemoryPassages),
  reindexing: storagePort(ReindexStore, inMemoryReindexing),
  reindexRecords: storagePort(ReindexRecords, inMemoryReindexing),
  jobs: storagePort(JobQueue, InMemoryJobQueue.layer),
  workers: storagePort(WorkerRegistry, InMemoryJobQueue.layer),
  taskRuns: storagePort(TaskRuns, InMemoryTaskRuns.layer),
  outbox: storagePort(Outbox, InMemoryOutbox.layer),
  deliveryRecords: storagePort(DeliveryRecords, InMemoryOutbox.layer),
  moneyRecords: storagePort(MoneyRecords, InMemoryMoneyRecords.layer),
  personalData: storagePort(PersonalData, InMemoryPersonalData.layer),
  callLimiter: storagePort(CallLimiter, InMemoryCallLimiter.layer),
  access: storagePort(AccessStore, InMemoryAccessStore.layer),
  serviceKeys: storagePort(ServiceKeyStore, InMemoryServiceKeyStore.layer),
  revokedSessions: storagePort(RevokedSessions, InMemoryRevokedSessions.layer),
  signIns: storagePort(SignInStore, InMemorySignInStore.layer),
  rateLimiter: storagePort(RateLimiter, InMemoryRateLimiter.layer),
  spendLimiter: storagePort(SpendLimiter, InMemorySpendLimiter.layer),
  unitOfWork: storagePort(UnitOfWork, InMemoryUnitOfWork.layer)
}

type Listed = typeof storagePorts
type Ports = { readonly [Name in keyof Listed]: Listed[Name]["port"] }

const ports = Object.fromEntries(Object.entries(storagePorts).map(([name, { port }]) => [name, port])) as Ports

/** The stores of the storage ports, by name: an adapter for promises returns them, and `createParley` takes them. */
export interface StoragePorts extends ServicesOf<Ports> {}

/** The storage ports as requirements of an Effect. */
export type StoragePort = IdentifiersOf<Ports>

/** A layer for each storage port; an adapter for Effect users exports these. */
export type StorageLayers = {
  readonly [Name in keyof Listed]: Layer.Layer<Ports[Name]["Identifier"], unknown, unknown>
}

type OneOf<Layers extends StorageLayers> = Layers[keyof Listed]

/** Joins `layers` to one layer; the stores are built side by side. */
export const storageLayer = <Layers extends StorageLayers>(
  layers: Layers
): Layer.Layer<StoragePort, Layer.Error<OneOf<Layers>>, Layer.Services<OneOf<Layers>>> => {
  const all = Object.values(layers) as ReadonlyArray<unknown> as [
    Layer.Layer<StoragePort, Layer.Error<OneOf<Layers>>, Layer.Services<OneOf<Layers>>>
  ]
  return Layer.mergeAll(...all)
}

/** Returns true if `createParley` takes a store by this name. */
export const isStoragePortName = (name: string): boolean => Object.hasOwn(ports, name)

/** The layer of stores that were opened before. */
export const openStorageLayer = (stores: StoragePorts): Layer.Layer<StoragePort> => servicesLayer(ports, stores)

/** The stores of the surrounding Effect, by name. */
export const storagePortsFromContext: Effect.Effect<StoragePorts, never, StoragePort> = Effect.map(
  Effect.context<StoragePort>(),
  (context) => servicesFrom(ports, context)
)

/** Every store in memory, as one layer. */
export const inMemoryStorageLayer: Layer.Layer<StoragePort> = Layer.mergeAll(
  ...(Object.values(storagePorts).map(({ inMemory }) => inMemory) as [Layer.Layer<StoragePort>])
)
