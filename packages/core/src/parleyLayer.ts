import { Layer } from "effect"
import { AbandonedTries } from "./chat/AbandonedTries.ts"
import type { ChatModels } from "./models/ChatModel.ts"
import { ChatQuota } from "./chat/ChatQuota.ts"
import { ChatService } from "./chat/ChatService.ts"
import { Accounts } from "./credits/Accounts.ts"
import { CreditOperations } from "./credits/CreditOperations.ts"
import { CreditService } from "./credits/CreditService.ts"
import { HoldHeartbeat } from "./credits/holds/HoldHeartbeat.ts"
import { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
import { ResetService } from "./credits/upkeep/ResetService.ts"
import type { DocumentParser } from "./documents/DocumentParser.ts"
import { DocumentRequeue } from "./documents/DocumentRequeue.ts"
import { DocumentService } from "./documents/DocumentService.ts"
import type { StoragePort } from "./StoragePorts.ts"
import type { JobWorker } from "./jobs/JobWorker.ts"
import type { Catalog } from "./tiers/Catalog.ts"
import { parleyJobWorker } from "./parleyJobs.ts"
import { ModelOffers } from "./chat/ModelOffers.ts"
import { UserService } from "./users/UserService.ts"

/** What Parley does. */
export type ParleyServices =
  | ChatService
  | CreditService
  | DocumentRequeue
  | DocumentService
  | HoldSweeper
  | JobWorker
  | ModelOffers
  | ResetService
  | UserService

/** What Parley needs done: the ports, and the catalog of what is on sale. */
export type ParleyPorts = Catalog | ChatModels | DocumentParser | StoragePort

/** All services over the ports: what an Effect user provides adapters to. */
export const parleyLayer: Layer.Layer<ParleyServices, never, ParleyPorts> = Layer.mergeAll(
  ChatService.layer,
  CreditService.layer,
  DocumentRequeue.layer,
  DocumentService.layer,
  HoldSweeper.layer,
  parleyJobWorker,
  ResetService.layer,
  ModelOffers.layer,
  UserService.layer
).pipe(
  Layer.provide(Layer.mergeAll(AbandonedTries.layer, Accounts.layer, ChatQuota.layer, HoldHeartbeat.layer)),
  Layer.provide(CreditOperations.layer)
)
