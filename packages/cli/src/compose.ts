import {
  type Database,
  type DatabaseError,
  type DatabaseOptions,
  type DatabaseOwner,
  databaseLayer,
  directDatabaseLayer,
  type FolderInUse,
  PgCreditLedgerLayer,
  storesLayer
} from "@parley/adapters-db"
import { WorkerDocumentParser } from "@parley/adapters-documents"
import { AnthropicChatModel, chatModelsLayer, OfflineChatModel, OpenAiChatModel } from "@parley/adapters-llm"
import {
  Accounts,
  Catalog,
  type ChatModels,
  CreditService,
  parleyLayer,
  type ParleyServices,
  UploadLimits
} from "@parley/core"
import { Effect, Layer, Redacted } from "effect"
import type { ParleyConfig } from "./config/ParleyConfig.ts"
import { usesDevelopmentSignIn } from "./config/serveRules.ts"
import { databaseFolder } from "./dataFolder/databaseFolder.ts"
import { warner } from "./server/warner.ts"

/** What commands work with. */
export type CommandParts = Catalog | ChatModels | CreditService | Database | DatabaseOwner

/** What a server works with. */
export type ServerParts = CommandParts | ParleyServices

/** The database: a Postgres server, or the embedded one in the data folder. */
export const databaseOptions = ({ database, databaseSchema, dataFolder }: ParleyConfig): DatabaseOptions =>
  database._tag === "Embedded"
    ? { schema: databaseSchema, dataDir: databaseFolder(dataFolder) }
    : {
        schema: databaseSchema,
        url: Redacted.value(database.url),
        directUrl: database.directUrl === undefined ? undefined : Redacted.value(database.directUrl)
      }

/**
 * Who answers for which model: the vendors whose keys are set, each loading its SDK when it is first asked, or the
 * stand-in where no key is set at all. Where people only try things out, a message may tell it how to behave.
 */
const modelsLayer = (config: ParleyConfig) =>
  chatModelsLayer({
    offline: new OfflineChatModel({ directives: usesDevelopmentSignIn(config) }),
    ...(config.openai === undefined ? {} : { openai: new OpenAiChatModel(config.openai) }),
    ...(config.anthropic === undefined ? {} : { anthropic: new AnthropicChatModel(config.anthropic) })
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

/** For commands: credits, and the database, past its pooler where `direct`. Nothing is opened before it is built. */
export const commandPartsLayer = (config: ParleyConfig, direct: boolean): Layer.Layer<CommandParts, FolderInUse> =>
  CreditService.layer.pipe(
    Layer.provide(Accounts.layer),
    Layer.provide(PgCreditLedgerLayer),
    Layer.provideMerge(offerLayer(config)),
    Layer.provideMerge((direct ? directDatabaseLayer : databaseLayer)(databaseOptions(config)))
  )

/** For servers: the whole graph of configuration, adapters and services. */
export const serverPartsLayer = (config: ParleyConfig): Layer.Layer<ServerParts, DatabaseError | FolderInUse> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onConnectionLost = yield* warner("A connection to the database was lost.")
      const onError = yield* warner("The job queue met a problem.")
      return parleyLayer.pipe(
        Layer.provide(storesLayer({ onError })),
        Layer.provide(WorkerDocumentParser.layer()),
        Layer.provideMerge(offerLayer(config)),
        Layer.provideMerge(databaseLayer({ ...databaseOptions(config), onConnectionLost })),
        Layer.provideMerge(uploadLimitsLayer(config))
      )
    })
  )
