import { Clock, Effect, Layer, ManagedRuntime, References, Schema, Stream } from "effect"
import { type BackgroundTaskName, backgroundWorkLayer } from "../backgroundTasks.ts"
import { ServiceKeys } from "../keys/ServiceKeys.ts"
import { PreferenceService } from "../preferences/Preferences.ts"
import { ImageService } from "../chat/images/ImageService.ts"
import { ProjectService } from "../chat/projects/ProjectService.ts"
import { SignOut } from "../sessions/SignOut.ts"
import { ActionAsked, BY_AN_APPLICATION } from "../audit/ActionAsked.ts"
import { EventService } from "../events/EventService.ts"
import { UserId } from "../identity/UserId.ts"
import { JobService } from "../jobs/JobService.ts"
import { MoneyReports } from "../users/MoneyReports.ts"
import { OperatorReports } from "../users/OperatorReports.ts"
import { UserAccess } from "../users/UserAccess.ts"
import { UserExport } from "../users/UserExport.ts"
import { UserImport } from "../users/importing/UserImport.ts"
import { UserService } from "../users/UserService.ts"
import { ConversationService } from "../widget/ConversationService.ts"
import { BotAnalytics } from "../widget/analytics/BotAnalytics.ts"
import { HandoverService } from "../widget/handover/HandoverService.ts"
import { BillingService } from "../billing/BillingService.ts"
import { noPayments } from "../billing/provider/noPayments.ts"
import { paymentProviderLayer, type PaymentProvider } from "../billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../billing/PaymentInbox.ts"
import { BotService } from "../bots/BotService.ts"
import { ChatModels } from "../models/ChatModel.ts"
import { noModels } from "../models/noModels.ts"
import { ChatService } from "../chat/ChatService.ts"
import { CrmAccess } from "../crm/CrmAccess.ts"
import { type CrmProvider, CrmProviders } from "../crm/CrmProvider.ts"
import { CrmService } from "../crm/CrmService.ts"
import { noSecrets } from "../secrets/noSecrets.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { checkTiers } from "../credits/upkeep/checkTiers.ts"
import { CreditUpkeep } from "../credits/CreditLedger.ts"
import { DocumentParser } from "../documents/reading/DocumentParser.ts"
import { textParser } from "../documents/reading/textParser.ts"
import { type MalwareScan, MalwareScanner } from "../documents/storing/MalwareScanner.ts"
import { DocumentService } from "../documents/DocumentService.ts"
import { parleyLayer } from "../parleyLayer.ts"
import { ParleySettings, problemsOfSettings, settingsLayer } from "../parleySettings.ts"
import { InvalidInput } from "../storage/inputs.ts"
import type { CallersTransaction } from "../storage/CallersTransaction.ts"
import { isStoragePortName, openStorageLayer, type StoragePorts } from "../StoragePorts.ts"
import { Catalog, makeCatalog } from "../tiers/Catalog.ts"
import type { CatalogData } from "../tiers/CatalogData.ts"
import { ModelOffers } from "../chat/ModelOffers.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import { type TokenizerService } from "../tokens/TokenizerService.ts"
import { type Parley, withRuntime } from "./Parley.ts"
import { loggerLayer, type ParleyLogger } from "../outages/ParleyLogger.ts"
import { callsOf, checked } from "./callsOf.ts"
import { creditCalls, joinedCreditCalls } from "./creditCalls.ts"
import { EventSinks } from "../events/EventSink.ts"
import type { ParleyHooks } from "../events/hooks.ts"
import { runTransaction } from "./runTransaction.ts"
import { ParleyCalls } from "./ParleyCalls.ts"
import { type Challenge, VisitorChallenge } from "../widget/VisitorChallenge.ts"
import { eventSinks, type WebhookOptions } from "../events/webhooks.ts"
import { replyCalls } from "./sendReply.ts"

/**
 * The parameters of `createParley`: the stores, an adapter for every other port that is used, and the settings, which
 * all have defaults.
 */
export interface ParleyOptions extends StoragePorts, ParleySettings {
  /** Reads documents; `textParser`, which only reads plain texts, unless given. */
  readonly parser?: DocumentParser["Service"]
  /** Scans every file for malware before it is stored; files are stored without a scan unless given. */
  readonly scanner?: MalwareScan
  /** Runs the models; without it every chat fails with `ModelUnavailable`. */
  readonly models?: ChatModels["Service"]
  /** Takes payments; nothing can be bought unless given. */
  readonly payments?: PaymentProvider
  /** The CRMs to which bots can be connected; none unless given. */
  readonly crm?: ReadonlyArray<CrmProvider>
  /** Encrypts the tokens of other services; without it no bot can be connected to a CRM. */
  readonly secrets?: SecretBox["Service"]
  /** Parsed JSON that overrides parts of the shipped tiers, models and prices. */
  readonly config?: unknown
  /**
   * The clock, in Unix milliseconds. A ledger on a database uses the clock of the database, unless it was opened with
   * another setting.
   */
  readonly clock?: { now(): number }
  /**
   * The background work of this process: all of it unless given, none with `false`, or only the named tasks. Another
   * process has to do the rest.
   */
  readonly work?: boolean | ReadonlyArray<BackgroundTaskName>
  /** Counts tokens before a model is called, and if its vendor reports no usage; `pieceTokenizer` unless given. */
  readonly tokenizer?: TokenizerService
  /** Functions that are called for each event, by a process with the background task `events`. */
  readonly hooks?: ParleyHooks
  /** The endpoints to which a process with the background task `events` sends signed webhooks. */
  readonly webhooks?: WebhookOptions
  /**
   * Receives the log lines of Parley and of the router on top of it: `pino()`, or any object with its methods; `false`
   * for no log. Unless given, warnings and errors are written to the console.
   */
  readonly logger?: ParleyLogger | false
  /** The challenge for visitors of bots who send many messages; none unless given. */
  readonly challenge?: Challenge
}

/**
 * Creates Parley for developers who use promises: provides the adapters to the services and starts the background work.
 * Rejects with `InvalidCatalog` if `config` is invalid, with `InvalidWebhooks` or `InvalidInput` if a setting is
 * invalid, with `TiersMissing` if accounts are on tiers that `config` does not contain, and with `StorageFailed` if the
 * storage cannot answer that. `close` ends all background work; the caller closes the adapters.
 */
export const createParley = async (options: ParleyOptions): Promise<Parley> => {
  const [problem] = [...unknownOptions(options), ...problemsOfSettings(options)]
  if (problem !== undefined) throw new InvalidInput(problem)
  const catalog = makeCatalog(options.config)
  const sinks = await eventSinks(options)
  // Checked before any work starts that could charge or grant credits.
  await Effect.runPromise(
    checkTiers.pipe(
      Effect.provideService(Catalog, catalog),
      Effect.provideService(CreditUpkeep, options.creditUpkeep),
      Effect.provide(references(options))
    )
  )
  const runtime = ManagedRuntime.make(
    workLayer(options).pipe(
      Layer.provideMerge(parleyLayer),
      Layer.provide(portsLayer(options, catalog)),
      Layer.provideMerge(Layer.merge(references(options), Layer.succeed(EventSinks, sinks)))
    )
  )
  const calls = new ParleyCalls(runtime)
  const { run } = calls
  await runtime.context()
  const joined = (transaction: CallersTransaction) => joinedCreditCalls(run, options.unitOfWork, transaction)
  const parley: Parley = {
    chat: { ...callsOf(ChatService, run), ...replyCalls(calls) },
    documents: {
      ...callsOf(DocumentService, run),
      file: checked(DocumentService.inputs.file, async (...asked: Parameters<Parley["documents"]["file"]>) => {
        const { bytes, ...file } = await run(DocumentService.use((documents) => documents.file(...asked)))
        return { ...file, stream: Stream.toReadableStream(bytes) }
      })
    },
    bots: { ...callsOf(BotService, run), ...callsOf(BotAnalytics, run) },
    crm: { ...callsOf(CrmService, run), ...callsOf(CrmAccess, run) },
    billing: { ...callsOf(BillingService, run), ...callsOf(PaymentInbox, run) },
    sessions: callsOf(SignOut, run),
    keys: callsOf(ServiceKeys, run),
    users: {
      ...callsOf(UserAccess, run),
      ...callsOf(UserService, run),
      ...callsOf(UserImport, run),
      export: checked(EXPORT, async (userId: UserId, { by, reason }: ActionAsked = BY_AN_APPLICATION) =>
        run(UserExport.useSync((users) => Stream.toReadableStream(users.lines(userId, { by, reason }))))
      )
    },
    conversations: { ...callsOf(ConversationService, run), ...callsOf(HandoverService, run) },
    reports: { ...callsOf(OperatorReports, run), ...callsOf(MoneyReports, run) },
    events: callsOf(EventService, run),
    jobs: callsOf(JobService, run),
    images: callsOf(ImageService, run),
    projects: callsOf(ProjectService, run),
    preferences: callsOf(PreferenceService, run),
    ...callsOf(ModelOffers, run),
    credits: creditCalls(calls),
    transaction: (pool, work) => runTransaction(pool, joined, work),
    in: (transaction) => ({ credits: joined(transaction) }),
    close: () => calls.close()
  }
  return withRuntime(parley, runtime)
}

const EXPORT = [{ userId: UserId }, { asked: Schema.UndefinedOr(ActionAsked) }]

/** The options that are neither stores nor settings. The type makes the compiler check that none is missing. */
const OPTIONS: Readonly<Record<Exclude<keyof ParleyOptions, keyof StoragePorts | keyof ParleySettings>, true>> = {
  ...{ parser: true, scanner: true, models: true, payments: true, crm: true, secrets: true, config: true, clock: true },
  ...{ work: true, tokenizer: true, hooks: true, webhooks: true, logger: true, challenge: true }
}

/** Opened stores may have methods of their own, such as `close`, so only other names are refused. */
const unknownOptions = (options: ParleyOptions) =>
  Object.entries(options)
    .filter(
      ([name, value]) =>
        typeof value !== "function" && !(name in OPTIONS || name in ParleySettings.fields || isStoragePortName(name))
    )
    .map(([field]) => ({ field, expected: "no option of this name" }))

const workLayer = ({ work = true }: ParleyOptions) =>
  work === true ? backgroundWorkLayer() : backgroundWorkLayer(work === false ? [] : work)

const portsLayer = (options: ParleyOptions, catalog: CatalogData) =>
  Layer.mergeAll(
    Layer.succeed(Catalog, catalog),
    Layer.succeed(ChatModels, options.models ?? noModels),
    paymentProviderLayer(options.payments ?? noPayments),
    Layer.succeed(CrmProviders, new Map((options.crm ?? []).map((provider) => [provider.id, provider]))),
    Layer.succeed(SecretBox, options.secrets ?? noSecrets),
    Layer.succeed(DocumentParser, options.parser ?? textParser),
    Layer.succeed(MalwareScanner, options.scanner),
    openStorageLayer(options)
  )

const references = (options: ParleyOptions) => {
  const { challenge, clock, logger, tokenizer } = options
  return Layer.mergeAll(
    settingsLayer(options),
    logger === undefined ? Layer.succeed(References.MinimumLogLevel, "Warn") : loggerLayer(logger),
    clock === undefined
      ? Layer.empty
      : Layer.effect(
          Clock.Clock,
          Effect.map(Clock.Clock, (base) => clockFrom(clock, base))
        ),
    challenge === undefined ? Layer.empty : Layer.succeed(VisitorChallenge, challenge),
    tokenizer === undefined ? Layer.empty : Layer.succeed(Tokenizer, tokenizer)
  )
}

/** A clock with the caller's time; waits and durations use the platform's clock. */
const clockFrom = (clock: { now(): number }, base: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.now(),
  currentTimeMillis: Effect.sync(() => clock.now()),
  currentTimeNanosUnsafe: () => BigInt(clock.now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(clock.now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: base.monotonicTimeNanos,
  sleep: (duration) => base.sleep(duration)
})
