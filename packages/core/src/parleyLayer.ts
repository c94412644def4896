import { Layer } from "effect"
import { AbandonedTries } from "./chat/AbandonedTries.ts"
import type { ChatModels } from "./models/ChatModel.ts"
import { ChatQuota } from "./chat/ChatQuota.ts"
import { ChatService } from "./chat/ChatService.ts"
import type { ChatStore } from "./chat/ChatStore.ts"
import { Accounts } from "./credits/Accounts.ts"
import type { CreditLedger } from "./credits/CreditLedger.ts"
import { CreditService } from "./credits/CreditService.ts"
import { HoldHeartbeat } from "./credits/holds/HoldHeartbeat.ts"
import { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
import { ResetService } from "./credits/upkeep/ResetService.ts"
import type { DocumentParser } from "./documents/DocumentParser.ts"
import { DocumentService } from "./documents/DocumentService.ts"
import type { DocumentStore } from "./documents/DocumentStore.ts"
import type { FileStore } from "./documents/FileStore.ts"
import type { JobQueue } from "./jobs/JobQueue.ts"
import type { PassageIndex } from "./documents/PassageIndex.ts"
import type { RateLimiter } from "./limits/RateLimiter.ts"
import type { UnitOfWork } from "./storage/UnitOfWork.ts"
import type { Catalog } from "./tiers/Catalog.ts"
import { ModelOffers } from "./chat/ModelOffers.ts"

/** What Parley does. */
export type ParleyServices = ChatService | CreditService | DocumentService | HoldSweeper | ResetService | ModelOffers

/** What Parley needs done: the ports, and the catalog of what is on sale. */
export type ParleyPorts =
  | Catalog
  | ChatModels
  | ChatStore
  | CreditLedger
  | DocumentParser
  | DocumentStore
  | FileStore
  | JobQueue
  | PassageIndex
  | RateLimiter
  | UnitOfWork

/** All services over the ports: what an Effect user provides adapters to. */
export const parleyLayer: Layer.Layer<ParleyServices, never, ParleyPorts> = Layer.mergeAll(
  ChatService.layer,
  CreditService.layer,
  DocumentService.layer,
  HoldSweeper.layer,
  ResetService.layer,
  ModelOffers.layer
).pipe(Layer.provide(Layer.mergeAll(AbandonedTries.layer, Accounts.layer, ChatQuota.layer, HoldHeartbeat.layer)))
