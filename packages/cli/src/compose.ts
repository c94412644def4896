import {
  type Database,
  type DatabaseError,
  type DatabaseOptions,
  type DatabaseOwner,
  directOptions,
  ExactSearchPassages,
  PgAuditLogLayer,
  PgBillingStoreLayer,
  PgBillingUpkeepLayer,
  PgBotStoreLayer,
  PgBossJobQueueLayer,
  PgCrmConnectionStoreLayer,
  PgChatStoreLayer,
  PgCreditLedgerLayer,
  PgDocumentStoreLayer,
  PgFileStoreLayer,
  PgOutboxLayer,
  PgPassageIndexLayer,
  PgPersonalDataLayer,
  PgReindexStoreLayer,
  PgUnitOfWorkLayer,
  storesLayer,
  unlockedDatabaseLayer
} from "@parley/adapters-db"
import type { PgliteThread } from "@parley/adapters-db/embedded"
import { TesseractOcr, WorkerDocumentParser } from "@parley/adapters-documents"
import {
  AnthropicChatModel,
  chatModelsLayer,
  makeLocalEmbedder,
  makeOpenAiEmbedder,
  OfflineChatModel,
  OpenAiChatModel,
  type VendorOptions
} from "@parley/adapters-llm"
import { NodeWebhookPoster, TurnstileChallenge } from "@parley/adapters-http/node"
import { s3Objects } from "@parley/adapters-s3"
import { StripePaymentGatewayLayer } from "@parley/adapters-stripe"
import {
  Accounts,
  BotService,
  Catalog,
  CreditService,
  CrmRelease,
  DocumentReindex,
  EventSinks,
  LowBalance,
  UserExport,
  OperatorTiers,
  UserService,
  HoldSweeper,
  noPayments,
  PaymentComparison,
  PaymentInbox,
  PaymentRetention,
  HoldTtl,
  parleyLayer,
  type ParleyServices,
  ResetService,
  SecretRotation,
  ReplySettings,
  UploadLimits,
  webhookSinks
} from "@parley/core/effect"
import { type CrmProviders, PaymentGateway, type SecretBox } from "@parley/core/adapter"
import type {
  AuditLog,
  BillingStore,
  BillingUpkeep,
  ChatModel,
  ChatModels,
  CreditPorts,
  JobQueue,
  DeliveryRecords,
  UnitOfWork
} from "@parley/core/adapter"
import { ObjectStore, PassageEmbedder, VisitorChallenge } from "@parley/core/adapter"
import { Effect, Layer, Redacted } from "effect"
import type { ParleyConfig } from "./config/ParleyConfig.ts"
import { usesStandInPayments } from "./config/serveRules.ts"
import { usesDevelopmentSignIn } from "./config/session/sessionProof.ts"
import { crmProvidersLayer } from "./crmProviders.ts"
import { databaseFolder } from "./dataFolder/databaseFolder.ts"
import { noStandInLayer, type PaymentStandIn, standInLayer } from "./payments/PaymentStandIn.ts"
import { saleCatalog } from "./payments/standInSale.ts"
import { secretBoxLayer } from "./secrets/secretBoxLayer.ts"
import { warner } from "./server/warner.ts"

/** The services of commands. */
export type CommandParts =
  | AuditLog
  | BotService
  | Catalog
  | ChatModels
  | CreditPorts
  | CreditService
  | Database
  | DatabaseOwner
  | DocumentReindex
  | HoldSweeper
  | BillingStore
  | BillingUpkeep
  | JobQueue
  | DeliveryRecords
  | PaymentComparison
  | PaymentGateway
  | PaymentInbox
  | UnitOfWork
  | UserExport
  | OperatorTiers
  | UserService
  | ResetService
  | SecretRotation

/** The services of a server. */
export type ServerParts = CommandParts | ParleyServices | PaymentStandIn

/** The database: a Postgres server, or the embedded one in the data folder, which is claimed before. */
export const databaseOptions = ({ database, databaseSchema, dataFolder }: ParleyConfig): DatabaseOptions =>
  database._tag === "Embedded"
    ? { schema: databaseSchema, dataDir: databaseFolder(dataFolder) }
    : {
        schema: databaseSchema,
        url: Redacted.value(database.url),
        directUrl: database.directUrl === undefined ? undefined : Redacted.value(database.directUrl)
      }

const OWN_VENDORS = { openai: OpenAiChatModel, anthropic: AnthropicChatModel }

/**
 * The vendors with configured keys, and those that the configuration describes. Each loads its SDK on its first call.
 */
export const vendorModels = (
  { anthropic, firstByteSeconds, openai, vendors }: ParleyConfig,
  options: Pick<VendorOptions, "limits" | "retry"> = {}
): Readonly<Record<string, ChatModel>> => {
  const firstByte = firstByteSeconds === undefined ? {} : { firstByteMs: firstByteSeconds * 1_000 }
  const more = { ...options, limits: { ...firstByte, ...options.limits } }
  return {
    ...Object.fromEntries(
      Object.entries(vendors).map(([name, { apiKey, baseUrl, protocol }]) => [
        name,
        new OWN_VENDORS[protocol]({ name, apiKey, baseUrl, ...more })
      ])
    ),
    ...(openai === undefined ? {} : { openai: new OpenAiChatModel({ ...openai, ...more }) }),
    ...(anthropic === undefined ? {} : { anthropic: new AnthropicChatModel({ ...anthropic, ...more }) })
  }
}

/** The provider of each model. With the development sign-in, a message may tell the offline model how to behave. */
const modelsLayer = (config: ParleyConfig) =>
  chatModelsLayer({
    offline: new OfflineChatModel({ directives: usesDevelopmentSignIn(config) }),
    ...vendorModels(config)
  })

/** The catalog, and the models. */
export const offerLayer = (config: ParleyConfig): Layer.Layer<Catalog | ChatModels> =>
  Layer.mergeAll(
    Layer.succeed(Catalog, usesStandInPayments(config) ? saleCatalog(config.catalog) : config.catalog),
    modelsLayer(config)
  )

/** The payment provider: the one whose key is configured, its stand-in for trying out, or none. */
export const paymentsLayer = (
  config: ParleyConfig,
  { isCommand }: { readonly isCommand: boolean }
): Layer.Layer<PaymentGateway | PaymentStandIn> => {
  const { payments } = config
  if (usesStandInPayments(config)) return standInLayer(config, isCommand)
  const gateway =
    payments === undefined
      ? Layer.succeed(PaymentGateway, noPayments)
      : StripePaymentGatewayLayer({
          apiKey: payments.secretKey,
          webhookSecret: payments.webhookSecret,
          apiUrl: payments.apiUrl
        })
  return Layer.merge(gateway, noStandInLayer)
}

/** The CRMs that bots can be connected to, and the encryption of their connections. */
const crmLayer = (config: ParleyConfig, from: { readonly isCommand: boolean }): Layer.Layer<CrmProviders | SecretBox> =>
  Layer.merge(crmProvidersLayer(config), secretBoxLayer(config, from))

/** Upload limits: the core's defaults, overridden by the configuration. */
const uploadLimitsLayer = ({ uploads }: ParleyConfig) =>
  Layer.effect(
    UploadLimits,
    Effect.map(UploadLimits, (defaults) => ({ ...defaults, ...uploads }))
  )

/** Settings of replies: the core's defaults, overridden by the configuration. */
const repliesLayer = ({ replies }: ParleyConfig) =>
  Layer.effect(
    ReplySettings,
    Effect.map(ReplySettings, (defaults) => ({ ...defaults, ...replies }))
  )

/** The store of uploaded files. */
const objectStoreLayer = ({ files }: ParleyConfig) =>
  Layer.succeed(ObjectStore, files === undefined ? undefined : s3Objects(files))

/** The embedder of passages and questions, with which searches rank by meaning too. */
const embedderLayer = ({ embedding }: ParleyConfig) => {
  if (embedding === undefined) return Layer.empty
  if (embedding._tag === "Local") {
    const { dimensions, installedIn, model, models, pooling, precision, relevantFrom, weight } = embedding
    const chosen = {
      ...(pooling && { pooling }),
      ...(precision && { precision }),
      ...(relevantFrom !== undefined && { relevantFrom }),
      ...(weight !== undefined && { weight })
    }
    return Layer.sync(PassageEmbedder, () => makeLocalEmbedder({ dimensions, installedIn, model, models, ...chosen }))
  }
  const { apiKey, baseUrl, batch, dimensions, isAsked, model, relevantFrom, weight } = embedding
  const sized = dimensions === undefined ? {} : isAsked ? { dimensions } : { modelDimensions: dimensions }
  const limits = batch === undefined ? {} : { limits: { textsPerRequest: batch } }
  const judged = { ...(relevantFrom !== undefined && { relevantFrom }), ...(weight !== undefined && { weight }) }
  return Layer.sync(PassageEmbedder, () =>
    makeOpenAiEmbedder({ apiKey, baseUrl, model, ...sized, ...limits, ...judged })
  )
}

/** The size of a library up to which all passages are compared. */
const exactSearchLayer = ({ exactSearchPassages }: ParleyConfig) =>
  exactSearchPassages === undefined ? Layer.empty : Layer.succeed(ExactSearchPassages, exactSearchPassages)

const ocrLayer = ({ ocr }: ParleyConfig): Layer.Layer<never> =>
  ocr === undefined ? Layer.empty : TesseractOcr.layer(ocr)

/** The lifetime of a hold after its process has died. */
const holdTtlLayer = ({ holdTtlSeconds }: ParleyConfig) =>
  holdTtlSeconds === undefined ? Layer.empty : Layer.succeed(HoldTtl, holdTtlSeconds * 1000)

const DAY_MS = 86_400_000

/** Retention of payment events: the core's defaults, overridden by the configuration. */
const paymentRetentionLayer = ({ paymentEventDays: { done, unmatched } }: ParleyConfig) =>
  Layer.effect(
    PaymentRetention,
    Effect.map(PaymentRetention, ({ doneMs, unmatchedMs }) => ({
      doneMs: done === undefined ? doneMs : done * DAY_MS,
      unmatchedMs: unmatched === undefined ? unmatchedMs : unmatched * DAY_MS
    }))
  )

/** The challenge that visitors of bots solve who send many messages. */
const challengeLayer = ({ turnstile }: ParleyConfig) =>
  turnstile === undefined ? Layer.empty : Layer.succeed(VisitorChallenge, TurnstileChallenge(turnstile))

/** Hooks and webhooks. The configuration has been checked. */
const eventsLayer = ({ events: { allowPrivateNetworks, lowBalance, webhooks } }: ParleyConfig) =>
  Layer.merge(
    Layer.effect(EventSinks, Effect.orDie(webhookSinks(webhooks, NodeWebhookPoster({ allowPrivateNetworks })))),
    lowBalance === undefined ? Layer.empty : Layer.succeed(LowBalance, lowBalance)
  )

/** Re-indexing, with the configured embedder, and the same parsers as a server. */
const reindexLayer = (config: ParleyConfig) =>
  DocumentReindex.layer.pipe(
    Layer.provide(Layer.mergeAll(PgDocumentStoreLayer, PgFileStoreLayer, PgPassageIndexLayer, PgReindexStoreLayer)),
    Layer.provide(Layer.provide(WorkerDocumentParser.layer(), ocrLayer(config))),
    Layer.provide(Layer.mergeAll(objectStoreLayer(config), embedderLayer(config)))
  )

/** For commands: credits and the database, past its pooler if `direct`. Opens nothing before it is built. */
export const commandPartsLayer = (config: ParleyConfig, direct: boolean): Layer.Layer<CommandParts> =>
  Layer.mergeAll(
    BotService.layer,
    CreditService.layer,
    HoldSweeper.layer,
    PaymentComparison.layer,
    PaymentInbox.layer,
    reindexLayer(config),
    ResetService.layer,
    SecretRotation.layer,
    UserExport.layer,
    OperatorTiers.layer,
    UserService.layer
  ).pipe(
    Layer.provide(CrmRelease.farewellLayer),
    Layer.provide(CrmRelease.layer),
    Layer.provide(crmLayer(config, { isCommand: true })),
    Layer.provide(Layer.mergeAll(PgCrmConnectionStoreLayer, Layer.provide(PgFileStoreLayer, objectStoreLayer(config)))),
    Layer.provide(Layer.mergeAll(PgBotStoreLayer, PgChatStoreLayer, PgDocumentStoreLayer, PgPersonalDataLayer)),
    Layer.provideMerge(Layer.mergeAll(PgAuditLogLayer, PgOutboxLayer, PgUnitOfWorkLayer)),
    Layer.provide(Accounts.layer),
    Layer.provideMerge(PgCreditLedgerLayer),
    Layer.provideMerge(
      Layer.mergeAll(PgBillingStoreLayer, PgBillingUpkeepLayer, paymentsLayer(config, { isCommand: true }))
    ),
    Layer.provideMerge(PgBossJobQueueLayer()),
    Layer.provideMerge(offerLayer(config)),
    Layer.provideMerge(unlockedDatabaseLayer(direct ? directOptions(databaseOptions(config)) : databaseOptions(config)))
  )

/** For servers: the whole graph of configuration, adapters and services; on `engine` if that is open already. */
export const serverPartsLayer = (
  config: ParleyConfig,
  engine?: PgliteThread
): Layer.Layer<ServerParts, DatabaseError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onConnectionLost = yield* warner("A connection to the database was lost.")
      const onError = yield* warner("The job queue met a problem.")
      return parleyLayer.pipe(
        Layer.provideMerge(storesLayer({ onError })),
        Layer.provide(objectStoreLayer(config)),
        Layer.provide(Layer.provide(WorkerDocumentParser.layer(), ocrLayer(config))),
        Layer.provideMerge(paymentsLayer(config, { isCommand: false })),
        Layer.provide(crmLayer(config, { isCommand: false })),
        Layer.provideMerge(offerLayer(config)),
        Layer.provideMerge(unlockedDatabaseLayer({ ...databaseOptions(config), engine, onConnectionLost })),
        Layer.provideMerge(
          Layer.mergeAll(
            uploadLimitsLayer(config),
            repliesLayer(config),
            holdTtlLayer(config),
            paymentRetentionLayer(config),
            embedderLayer(config),
            exactSearchLayer(config),
            challengeLayer(config),
            eventsLayer(config)
          )
        )
      )
    })
  )
