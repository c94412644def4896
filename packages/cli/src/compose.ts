import {
  type Database,
  type DatabaseError,
  type DatabaseOwner,
  type Databases,
  ExactSearchPassages
} from "@parley/adapters-db"
import type { PgliteThread } from "@parley/adapters-db/embedded"
import { ClamAvScanner, TesseractOcr, WorkerDocumentParser } from "@parley/adapters-documents"
import {
  AnthropicChatModel,
  chatModelsLayer,
  makeCohereReranker,
  makeLocalEmbedder,
  makeOpenAiEmbedder,
  OfflineChatModel,
  OpenAiChatModel,
  type VendorOptions
} from "@parley/adapters-llm"
import { NodeWebhookPoster, TurnstileChallenge } from "@parley/adapters-http/node"
import { s3Objects } from "@parley/adapters-s3"
import { StripePaymentsLayer } from "@parley/adapters-stripe"
import {
  Catalog,
  EventSinks,
  noPayments,
  parleyLayer,
  type ParleyServices,
  settingsLayer,
  type StoragePort,
  webhookSinks
} from "@parley/core/effect"
import {
  type ChatModel,
  type ChatModels,
  type CrmProviders,
  MalwareScanner,
  ObjectStore,
  PassageEmbedder,
  type PaymentPorts,
  paymentProviderLayer,
  Reranker,
  type SecretBox,
  VisitorChallenge
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import type { ParleyConfig } from "./config/readConfig.ts"
import { usesStandInPayments } from "./config/rules/serveRules.ts"
import { usesDevelopmentSignIn } from "./config/session/sessionProof.ts"
import { crmProvidersLayer } from "./crmProviders.ts"
import { databasesLayer } from "./databases/databasesLayer.ts"
import { noStandInLayer, type PaymentStandIn, standInLayer } from "./payments/PaymentStandIn.ts"
import { saleCatalog } from "./payments/standInSale.ts"
import { secretBoxLayer } from "./secrets/secretBoxLayer.ts"
import { mailerLayer } from "./signIn/mailer.ts"
import { warner } from "./server/warner.ts"

/** The services and stores of a server, a worker or a command. */
export type Parts =
  | Catalog
  | ChatModels
  | Database
  | DatabaseOwner
  | Databases
  | ParleyServices
  | PaymentPorts
  | PaymentStandIn
  | StoragePort

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

/** The scanner of uploaded files; none unless configured. */
const scannerLayer = ({ clamAv }: ParleyConfig): Layer.Layer<never> =>
  clamAv === undefined ? Layer.empty : Layer.sync(MalwareScanner, () => ClamAvScanner({ url: clamAv }))

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
): Layer.Layer<PaymentPorts | PaymentStandIn> => {
  const { payments } = config
  if (usesStandInPayments(config)) return standInLayer(config, isCommand)
  const gateway =
    payments === undefined
      ? paymentProviderLayer(noPayments)
      : StripePaymentsLayer({
          apiKey: payments.secretKey,
          webhookSecret: payments.webhookSecret,
          apiUrl: payments.apiUrl
        })
  return Layer.merge(gateway, noStandInLayer)
}

/** The CRMs that bots can be connected to, and the encryption of their connections. */
const crmLayer = (config: ParleyConfig, from: { readonly isCommand: boolean }): Layer.Layer<CrmProviders | SecretBox> =>
  Layer.merge(crmProvidersLayer(config), secretBoxLayer(config, from))

/** The store of uploaded files. */
const objectStoreLayer = ({ files }: ParleyConfig) =>
  Layer.succeed(ObjectStore, files === undefined ? undefined : s3Objects(files))

/** The embedder of passages and questions, with which searches rank by meaning too. */
const embedderLayer = ({ embedding }: ParleyConfig) => {
  if (embedding === undefined) return Layer.empty
  if (embedding._tag === "Local") {
    const { dimensions, installedIn, model, models, pooling, precision, relevantFrom, usdPerMillionTokens, weight } =
      embedding
    const chosen = {
      ...(pooling && { pooling }),
      ...(precision && { precision }),
      ...(relevantFrom !== undefined && { relevantFrom }),
      ...(weight !== undefined && { weight })
    }
    return Layer.sync(PassageEmbedder, () => ({
      ...makeLocalEmbedder({ dimensions, installedIn, model, models, ...chosen }),
      usdPerMillionTokens
    }))
  }
  const { apiKey, baseUrl, batch, dimensions, isAsked, model, relevantFrom, usdPerMillionTokens, weight } = embedding
  const sized = dimensions === undefined ? {} : isAsked ? { dimensions } : { modelDimensions: dimensions }
  const limits = batch === undefined ? {} : { limits: { textsPerRequest: batch } }
  const judged = { ...(relevantFrom !== undefined && { relevantFrom }), ...(weight !== undefined && { weight }) }
  return Layer.sync(PassageEmbedder, () => ({
    ...makeOpenAiEmbedder({ apiKey, baseUrl, model, ...sized, ...limits, ...judged }),
    usdPerMillionTokens
  }))
}

/** The reranker of found passages. */
const rerankerLayer = ({ reranking }: ParleyConfig) =>
  reranking === undefined ? Layer.empty : Layer.sync(Reranker, () => makeCohereReranker(reranking))

/** The size of a library up to which all passages are compared. */
const exactSearchLayer = ({ exactSearchPassages }: ParleyConfig) =>
  exactSearchPassages === undefined ? Layer.empty : Layer.succeed(ExactSearchPassages, exactSearchPassages)

const ocrLayer = ({ ocr }: ParleyConfig): Layer.Layer<never> =>
  ocr === undefined ? Layer.empty : TesseractOcr.layer(ocr)

/** The challenge that visitors of bots solve who send many messages. */
const challengeLayer = ({ turnstile }: ParleyConfig) =>
  turnstile === undefined ? Layer.empty : Layer.succeed(VisitorChallenge, TurnstileChallenge(turnstile))

/** Webhooks. The configuration has been checked. */
const eventsLayer = ({ events: { allowPrivateNetworks, webhooks } }: ParleyConfig) =>
  Layer.effect(EventSinks, Effect.orDie(webhookSinks(webhooks, NodeWebhookPoster({ allowPrivateNetworks }))))

/** The form in which the parts are opened. */
export interface OpenOptions {
  /** For a command: the stand-ins of a server that may run beside it are asked, not opened. */
  readonly isCommand: boolean
  /** Past the database's pooler. */
  readonly direct?: boolean
  /** An embedded engine that is open already. */
  readonly engine?: PgliteThread | undefined
}

/** The graph of configuration, adapters and services, for servers, workers and commands. Building it reads nothing. */
export const partsLayer = (config: ParleyConfig, options: OpenOptions): Layer.Layer<Parts, DatabaseError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onConnectionLost = yield* warner("A connection to the database was lost.")
      const onError = yield* warner("The job queue met a problem.")
      return parleyLayer.pipe(
        Layer.provideMerge(databasesLayer(config, { ...options, onConnectionLost, onError })),
        Layer.provide(objectStoreLayer(config)),
        Layer.provide(Layer.provide(WorkerDocumentParser.layer({ libreOffice: config.libreOffice }), ocrLayer(config))),
        Layer.provideMerge(paymentsLayer(config, options)),
        Layer.provide(crmLayer(config, options)),
        Layer.provideMerge(offerLayer(config)),
        Layer.provideMerge(
          Layer.mergeAll(
            settingsLayer(config.settings),
            embedderLayer(config),
            rerankerLayer(config),
            exactSearchLayer(config),
            challengeLayer(config),
            scannerLayer(config),
            mailerLayer(config),
            eventsLayer(config)
          )
        )
      )
    })
  )
