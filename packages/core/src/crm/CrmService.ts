import { Clock, Context, Effect, Layer, Schema } from "effect"
import { BotNotFound } from "../bots/errors.ts"
import { BotStore } from "../bots/BotStore.ts"
import { UserId } from "../identity/UserId.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { Id, inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { endedBy } from "./CrmAccess.ts"
import {
  type CrmConnection,
  type CrmConnectionName,
  type SealedTokens,
  type StoredCrmConnection,
  CrmConnectionStore
} from "./CrmConnectionStore.ts"
import { CRM_PROVIDERS, type CrmAccount, type CrmProvider, type CrmProviderId, CrmProviders } from "./CrmProvider.ts"
import { CrmRelease, type Revocation, isReplaced } from "./CrmRelease.ts"
import { CrmNotConfigured, CrmNotConnected, CrmProviderNotFound, CrmStateUnknown } from "./errors.ts"
import { beginState, isMatch, openState, type OpenState, STATE_MAX_AGE_SECONDS } from "./oauthState.ts"
import { OAuthStateStore } from "./OAuthStateStore.ts"
import { openTokens, sealTokens } from "./tokenSecret.ts"

export const ConnectInput = Schema.Struct({
  owner: UserId,
  botId: Id,
  /** The requested provider, as the client sent it: any text. */
  provider: Schema.String,
  /**
   * The address to which the provider redirects browsers: the same for all connections to a provider, and registered
   * with it. Undefined if the server does not know its own address.
   */
  redirectUri: Schema.optional(Schema.String)
})
export type ConnectInput = typeof ConnectInput.Type

/** A connection that a person has started and must still allow at the provider. */
export interface BegunConnection {
  /** The provider's page on which the person allows the connection. */
  readonly url: URL
  /** The cookie for the browser until it returns, named after `id`; only this server can read `sealed`. */
  readonly state: { readonly id: string; readonly sealed: string; readonly maxAgeSeconds: number }
}

export const CallbackInput = Schema.Struct({
  owner: UserId,
  /** The display name of the person. */
  by: Schema.String,
  provider: Schema.String,
  /** The query with which the provider sent the browser back. */
  callback: Schema.instanceOf(URLSearchParams, { expected: "URLSearchParams" }),
  /** Returns the browser's cookie for an id. */
  kept: Schema.declare((value): value is (id: string) => string | undefined => typeof value === "function", {
    expected: "a function"
  })
})
export type CallbackInput = typeof CallbackInput.Type

/**
 * The reasons why a connection was not made. `denied`: the person, or the provider on their behalf, refused; `state`:
 * this browser has no unused state for this person and provider; `exchange`: the provider returned no tokens; `bot`:
 * the bot was deleted.
 */
export const CALLBACK_ERRORS = ["denied", "state", "exchange", "bot"] as const
export type CallbackError = (typeof CALLBACK_ERRORS)[number]

/** The result of a connection attempt; `error` is undefined on success. */
export interface CallbackOutcome {
  readonly botId: string
  readonly provider: CrmProviderId
  readonly error: CallbackError | undefined
  /**
   * True if the state can no longer be used, so that the browser may delete its cookie. A callback that did not match
   * leaves the state usable.
   */
  readonly isOver: boolean
}

/** A provider, and its connection to the bot. */
export interface CrmOffer {
  readonly provider: CrmProviderId
  /** The display name. */
  readonly name: string
  /** True if a bot can be connected to the provider now. */
  readonly available: boolean
  readonly connection: CrmConnection | undefined
}

export type ConnectFailed = CrmProviderNotFound | BotNotFound | CrmNotConfigured | StorageFailed

/** Connects bots to the CRMs of their owners. */
export class CrmService extends Context.Service<
  CrmService,
  {
    /** Starts to connect one's own bot. */
    connect(input: ConnectInput): Effect.Effect<BegunConnection, ConnectFailed>
    /**
     * Completes a connection. The provider is called only if this browser has a state for this person and this provider
     * that was not used before. If any step fails, no connection is stored.
     */
    callback(
      input: CallbackInput
    ): Effect.Effect<CallbackOutcome, CrmProviderNotFound | CrmNotConfigured | CrmStateUnknown>
    /** Lists all configured providers, and those to which the bot is connected. */
    list(owner: UserId, botId: string): Effect.Effect<ReadonlyArray<CrmOffer>, BotNotFound | StorageFailed>
    /**
     * Removes a connection, and then revokes it at the provider: at once if the provider can be reached, otherwise by a
     * job that survives this process.
     */
    disconnect(
      owner: UserId,
      botId: string,
      provider: string
    ): Effect.Effect<
      { readonly revocation: Revocation },
      CrmProviderNotFound | BotNotFound | CrmNotConnected | StorageFailed
    >
  }
>()("@parley/core/crm/CrmService") {
  static readonly inputs = inputsOf<CrmService["Service"]>()({
    connect: [{ input: ConnectInput }],
    callback: [{ input: CallbackInput }],
    list: [{ owner: UserId }, { botId: Id }],
    disconnect: [{ owner: UserId }, { botId: Id }, { provider: Schema.String }]
  })
  static readonly layer = Layer.effect(
    CrmService,
    Effect.suspend(() => make)
  )
}

const MAX_ACCOUNT_CHARACTERS = 200

/** Returns a text of the provider in one line, with a bounded length. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_ACCOUNT_CHARACTERS)
    .toWellFormed()

/** The part of a provider's account data that is stored. */
export const knownAccount = ({ id = "", name = "" }: CrmAccount = {}): CrmAccount => ({
  ...(oneLine(id) === "" ? {} : { id: oneLine(id) }),
  ...(oneLine(name) === "" ? {} : { name: oneLine(name) })
})

/** The codes with which providers report a refusal by the person (RFC 6749, 4.1.2.1, and one provider's own). */
const DENIALS: ReadonlyArray<string> = ["access_denied", "user_denied"]

const notMade = (provider: CrmProviderId, error: string, reason?: string) =>
  Effect.annotateLogs(Effect.logWarning("A CRM connection was not made."), {
    provider,
    error,
    ...(reason === undefined ? {} : { reason })
  })

/** Gets tokens from the provider and stores them; tokens that cannot be stored are revoked. */
const makeExchange = Effect.gen(function* () {
  const box = yield* SecretBox
  const connections = yield* CrmConnectionStore
  const release = yield* CrmRelease
  const unitOfWork = yield* UnitOfWork

  return Effect.fnUntraced(function* (
    { by, callback, owner }: CallbackInput,
    provider: CrmProvider,
    open: OpenState
  ): Effect.fn.Return<CallbackError | undefined> {
    const { botId, codeVerifier, redirectUri } = open
    const state = callback.get("state") ?? ""
    const tokens = yield* provider
      .exchange({ callback, redirectUri, state, ...(codeVerifier === undefined ? {} : { codeVerifier }) })
      .pipe(
        Effect.catch((failure) =>
          Effect.as(
            notMade(provider.id, failure.code, failure._tag === "CrmRefused" ? failure.reason : undefined),
            undefined
          )
        )
      )
    if (tokens === undefined) return "exchange"
    const name: CrmConnectionName = { owner, botId, provider: provider.id }
    const account = knownAccount(tokens.account)
    const keep = Effect.fnUntraced(function* (sealed: SealedTokens) {
      const former = yield* connections.find(name)
      const connectedAt = yield* Clock.currentTimeMillis
      const connection = { ...name, ...sealed, account, connectedAt, connectedBy: oneLine(by) }
      // A failure inside a transaction rolls it back.
      if (!(yield* connections.save(connection))) return yield* Effect.fail("bot" as const)
      if (former === undefined) return undefined
      const replaced = yield* Effect.option(openTokens(box, former))
      if (replaced._tag === "None" || !isReplaced(provider, { former, replaced: replaced.value, account, tokens }))
        return undefined
      const { accessToken, refreshToken } = replaced.value
      return yield* release.queue(provider.id, { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) })
    })
    const error = yield* sealTokens(box, name, tokens).pipe(
      Effect.flatMap((sealed) => retryStorage(unitOfWork.run(owner, keep(sealed)))),
      Effect.flatMap((tell) => Effect.as(tell ?? Effect.void, undefined)),
      Effect.catch((failure) =>
        failure === "bot"
          ? Effect.succeed("bot" as const)
          : Effect.as(notMade(provider.id, failure.code), "exchange" as const)
      )
    )
    if (error !== undefined) yield* release.revoke(provider.id, tokens)
    return error
  })
})

/** The steps after a callback that matched. Each step runs only if the previous one succeeded. */
const makeConclude = Effect.gen(function* () {
  const bots = yield* BotStore
  const exchange = yield* makeExchange
  const states = yield* OAuthStateStore

  return Effect.fnUntraced(function* (input: CallbackInput, provider: CrmProvider, open: OpenState) {
    const { callback, owner } = input
    if (open.expiresAt <= (yield* Clock.currentTimeMillis)) return "state" as const
    const spent = { owner, digest: open.digest, expiresAt: open.expiresAt }
    if (!(yield* states.spend(spent))) return "state" as const
    const refusal = callback.get("error")
    if (refusal !== null) return DENIALS.includes(refusal) ? ("denied" as const) : ("exchange" as const)
    if ((callback.get("code") ?? "") === "") return "exchange" as const
    if ((yield* bots.find({ owner, botId: open.botId })) === undefined) return "bot" as const
    // Once the provider was asked, the tokens are stored or revoked even if the browser disconnects.
    return yield* Effect.uninterruptible(exchange(input, provider, open))
  })
})

/** A connection as it is shown to its owner. */
const makeSeen = Effect.map(SecretBox, (box) =>
  Effect.fnUntraced(function* (connection: StoredCrmConnection, now: number) {
    const { account, botId, connectedAt, connectedBy, owner, provider } = connection
    const shown = { owner, botId, provider, account, connectedAt, connectedBy }
    const ended = endedBy(connection, now)
    if (ended !== undefined) return { ...shown, state: "needs_reconnect", problem: ended } as const
    const isReadable = yield* Effect.match(openTokens(box, connection), {
      onSuccess: () => true,
      onFailure: () => false
    })
    if (!isReadable) return { ...shown, state: "error", problem: "unreadable" } as const
    return { ...shown, state: connection.state, problem: connection.problem }
  })
)

/** Returns the provider's id if the text is one of the known ids, otherwise undefined. */
const idOf = (text: string) => {
  const known = CRM_PROVIDERS.find((id) => id === text)
  return known === undefined ? Effect.fail(new CrmProviderNotFound()) : Effect.succeed(known)
}

/** Returns the provider with an id, if this server can connect to it. */
const makeConfigured = Effect.gen(function* () {
  const box = yield* SecretBox
  const providers = yield* CrmProviders

  return Effect.fnUntraced(function* (id: CrmProviderId) {
    const provider = providers.get(id)
    if (provider === undefined) return yield* new CrmNotConfigured({ missing: "provider" })
    if (box.sealsWith === undefined) return yield* new CrmNotConfigured({ missing: "encryption-key" })
    return provider
  })
})

/** Returns the bot, if the person owns it. */
const makeOwned = Effect.map(BotStore, (bots) =>
  Effect.fnUntraced(function* (owner: UserId, botId: string) {
    const bot = yield* bots.find({ owner, botId })
    return bot === undefined ? yield* new BotNotFound({ botId }) : bot
  })
)

const makeConnect = Effect.gen(function* () {
  const box = yield* SecretBox
  const configured = yield* makeConfigured
  const owned = yield* makeOwned
  return Effect.fn("CrmService.connect")(function* ({ botId, owner, provider: name, redirectUri }: ConnectInput) {
    const id = yield* idOf(name)
    const bot = yield* owned(owner, botId)
    const provider = yield* configured(id)
    if (redirectUri === undefined) return yield* new CrmNotConfigured({ missing: "public-address" })
    const begun = yield* Effect.catchTag(
      beginState(box, { owner, provider, botId: bot.id, redirectUri }),
      "SecretsNotConfigured",
      () => new CrmNotConfigured({ missing: "encryption-key" })
    )
    const { codeVerifier, sealed, state } = begun
    const url = yield* provider.authorizationUrl({
      redirectUri,
      state,
      ...(codeVerifier === undefined ? {} : { codeVerifier })
    })
    return { url, state: { id: begun.id, sealed, maxAgeSeconds: STATE_MAX_AGE_SECONDS } }
  })
})

const makeCallback = Effect.gen(function* () {
  const box = yield* SecretBox
  const conclude = yield* makeConclude
  const configured = yield* makeConfigured
  const security = yield* SecurityEvents
  return Effect.fn("CrmService.callback")(function* (input: CallbackInput) {
    const provider = yield* configured(yield* idOf(input.provider))
    const [state = "", ...more] = input.callback.getAll("state")
    const open = more.length === 0 ? yield* openState(box, state, input.kept) : undefined
    if (open === undefined) return yield* new CrmStateUnknown()
    const outcome = { botId: open.botId, provider: provider.id }
    const { callback, owner } = input
    if (!(yield* isMatch(open, { callback, owner, provider }))) {
      yield* security.record({ event: "crm_connected", userId: owner, outcome: "state" })
      return { ...outcome, error: "state" as const, isOver: false }
    }
    const error = yield* Effect.catchTag(conclude(input, provider, open), "StorageFailed", (failure) =>
      Effect.as(notMade(provider.id, failure.code), "exchange" as const)
    )
    yield* security.record({ event: "crm_connected", userId: owner, outcome: error })
    return { ...outcome, error, isOver: true }
  })
})

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const connections = yield* CrmConnectionStore
  const owned = yield* makeOwned
  const providers = yield* CrmProviders
  const release = yield* CrmRelease
  const security = yield* SecurityEvents
  const seen = yield* makeSeen
  const unitOfWork = yield* UnitOfWork

  return CrmService.of({
    connect: yield* makeConnect,
    callback: yield* makeCallback,
    list: Effect.fn("CrmService.list")(function* (owner, botId) {
      yield* owned(owner, botId)
      const found = yield* connections.list({ owner, botId })
      const now = yield* Clock.currentTimeMillis
      const offers: Array<CrmOffer> = []
      for (const id of CRM_PROVIDERS) {
        const stored = found.find(({ provider }) => provider === id)
        const provider = providers.get(id)
        if (stored === undefined && provider === undefined) continue
        offers.push({
          provider: id,
          name: provider?.name ?? id,
          available: provider !== undefined && box.sealsWith !== undefined,
          connection: stored === undefined ? undefined : yield* seen(stored, now)
        })
      }
      return offers
    }),
    disconnect: Effect.fn("CrmService.disconnect")(function* (owner, botId, name) {
      const provider = yield* idOf(name)
      yield* owned(owner, botId)
      const [tell] = yield* unitOfWork.run(owner, release.remove({ owner, botId, provider }))
      if (tell === undefined) return yield* new CrmNotConnected()
      yield* security.record({ event: "crm_disconnected", userId: owner })
      return { revocation: yield* Effect.uninterruptible(tell) }
    })
  })
})
