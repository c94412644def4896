import {
  type Database,
  type DatabaseError,
  type DatabaseOptions,
  type DatabaseOwner,
  directOptions,
  PgBossJobQueueLayer,
  PgCreditLedgerLayer,
  PgPersonalDataLayer,
  PgUnitOfWorkLayer,
  storesLayer,
  unlockedDatabaseLayer
} from "@parley/adapters-db"
import { WorkerDocumentParser } from "@parley/adapters-documents"
import {
  AnthropicChatModel,
  chatModelsLayer,
  OfflineChatModel,
  OpenAiChatModel,
  type VendorOptions
} from "@parley/adapters-llm"
import {
  Accounts,
  Catalog,
  CreditOperations,
  CreditService,
  UserService,
  HoldSweeper,
  HoldTtl,
  parleyLayer,
  type ParleyServices,
  ResetService,
  UploadLimits,
  type Vendor
} from "@parley/core"
import type { ChatModel, ChatModels, JobQueue } from "@parley/core/adapter"
import { Effect, Layer, Redacted } from "effect"
import type { ParleyConfig } from "./config/ParleyConfig.ts"
import { usesDevelopmentSignIn } from "./config/serveRules.ts"
import { databaseFolder } from "./dataFolder/databaseFolder.ts"
import { warner } from "./server/warner.ts"

/** What commands work with. */
export type CommandParts =
  | Catalog
  | ChatModels
  | CreditService
  | Database
  | DatabaseOwner
  | HoldSweeper
  | JobQueue
  | UserService
  | ResetService

/** What a server works with. */
export type ServerParts = CommandParts | ParleyServices

/** The database: a Postgres server, or the embedded one in the data folder, which is claimed before. */
export const databaseOptions = ({ database, databaseSchema, dataFolder }: ParleyConfig): DatabaseOptions =>
  database._tag === "Embedded"
    ? { schema: databaseSchema, dataDir: databaseFolder(dataFolder) }
    : {
        schema: databaseSchema,
        url: Redacted.value(database.url),
        directUrl: database.directUrl === undefined ? undefined : Redacted.value(database.directUrl)
      }

/** The vendors whose keys are set. Each loads its SDK when it is first asked. */
export const vendorModels = (
  { anthropic, openai }: ParleyConfig,
  more: Pick<VendorOptions, "limits" | "retry"> = {}
): Partial<Readonly<Record<Vendor, ChatModel>>> => ({
  ...(openai === undefined ? {} : { openai: new OpenAiChatModel({ ...openai, ...more }) }),
  ...(anthropic === undefined ? {} : { anthropic: new AnthropicChatModel({ ...anthropic, ...more }) })
})

/** Who answers for which model. Where people only try things out, a message may tell the stand-in how to behave. */
const modelsLayer = (config: ParleyConfig) =>
  chatModelsLayer({
    offline: new OfflineChatModel({ directives: usesDevelopmentSignIn(config) }),
    ...vendorModels(config)
  })

/** What is on sale, and who answers. */
export const offerLayer = (config: ParleyConfig): Layer.Layer<Catalog | ChatModels> =>
  Layer.mergeAll(Layer.succeed(Catalog, config.catalog), modelsLayer(config))

/** What may be uploaded: the core's defaults with what is configured laid over them. */
const uploadLimitsLayer = ({ uploads }: ParleyConfig) =>
  Layer.effect(
    UploadLimits,
    Effect.map(UploadLimits, (defaults) => ({ ...defaults, ...uploads }))
  )

/** How long the hold of a reply outlives its process. */
const holdTtlLayer = ({ holdTtlSeconds }: ParleyConfig) =>
  holdTtlSeconds === undefined ? Layer.empty : Layer.succeed(HoldTtl, holdTtlSeconds * 1000)

/** For commands: credits, and the database, past its pooler where `direct`. Nothing is opened before it is built. */
export const commandPartsLayer = (config: ParleyConfig, direct: boolean): Layer.Layer<CommandParts> =>
  Layer.mergeAll(CreditService.layer, HoldSweeper.layer, ResetService.layer, UserService.layer).pipe(
    Layer.provide(Layer.mergeAll(PgPersonalDataLayer, PgUnitOfWorkLayer)),
    Layer.provide(Accounts.layer),
    Layer.provide(CreditOperations.layer),
    Layer.provide(PgCreditLedgerLayer),
    Layer.provideMerge(PgBossJobQueueLayer()),
    Layer.provideMerge(offerLayer(config)),
    Layer.provideMerge(unlockedDatabaseLayer(direct ? directOptions(databaseOptions(config)) : databaseOptions(config)))
  )

/** For servers: the whole graph of configuration, adapters and services. */
export const serverPartsLayer = (config: ParleyConfig): Layer.Layer<ServerParts, DatabaseError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onConnectionLost = yield* warner("A connection to the database was lost.")
      const onError = yield* warner("The job queue met a problem.")
      return parleyLayer.pipe(
        Layer.provideMerge(storesLayer({ onError })),
        Layer.provide(WorkerDocumentParser.layer()),
        Layer.provideMerge(offerLayer(config)),
        Layer.provideMerge(unlockedDatabaseLayer({ ...databaseOptions(config), onConnectionLost })),
        Layer.provideMerge(Layer.mergeAll(uploadLimitsLayer(config), holdTtlLayer(config)))
      )
    })
  )
