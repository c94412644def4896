import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import type { BotName } from "../bots/Bot.ts"
import { BotFarewell } from "../bots/BotFarewell.ts"
import type { UserId } from "../identity/UserId.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type CrmConnectionsOf, CrmConnectionStore, type StoredCrmConnection } from "./CrmConnectionStore.ts"
import { type CrmAccount, type CrmProvider, type CrmProviderId, CrmProviders, type RevokeInput } from "./CrmProvider.ts"
import { CrmNotRevoked } from "./errors.ts"
import { openRevocation, type RevocationPayload, RevokeCrmAccess, sealRevocation } from "./revocationJob.ts"
import { openTokens, type OpenTokens } from "./tokenSecret.ts"
import { handledJob } from "../jobs/JobKind.ts"

/** The maximum time that a caller waits for a provider that does not answer. */
const REVOKE_WITHIN = "5 seconds"
const ALL_WITHIN = "20 seconds"
const AT_ONCE = 8

/**
 * The result of a revocation at the provider. `revoked`: done; `unsupported`: the provider cannot revoke; `pending`:
 * the provider could not be reached, and the call is retried for about a day; `failed`: this server cannot make the
 * call.
 */
export const REVOCATIONS = ["revoked", "unsupported", "pending", "failed"] as const
export type Revocation = (typeof REVOCATIONS)[number]

/**
 * Calls the provider for a queued revocation; run it after the unit of work that queued the revocation. The duration is
 * bounded.
 */
export type TellProvider = Effect.Effect<Revocation>

/**
 * Ends access at providers. A revocation is queued in the unit of work that removes the access here, so that a crash
 * never leaves the access at the provider. Then the provider is called at once, and the job is only needed if that call
 * fails. The job contains the sealed tokens, and is deleted when the provider has confirmed, or after its last try.
 */
export class CrmRelease extends Context.Service<
  CrmRelease,
  {
    /** Revokes tokens that are not stored. */
    revoke(provider: CrmProviderId, tokens: RevokeInput): Effect.Effect<Revocation>
    /** Queues the revocation of tokens, within the surrounding unit of work. */
    queue(provider: CrmProviderId, tokens: RevokeInput): Effect.Effect<TellProvider, StorageFailed>
    /** Removes connections and queues the revocation of their tokens, within the surrounding unit of work. */
    remove(which: CrmConnectionsOf): Effect.Effect<ReadonlyArray<TellProvider>, StorageFailed>
    /** Makes one try of a queued revocation. */
    again(payload: RevocationPayload, last: boolean): Effect.Effect<void, CrmNotRevoked | StorageFailed>
    /** Removes a bot's connections; returns an effect that revokes their tokens, to be run after the unit of work. */
    ofBot(bot: BotName): Effect.Effect<Effect.Effect<void>, StorageFailed>
    /** Does the same for all connections of a person. */
    ofPerson(owner: UserId): Effect.Effect<Effect.Effect<void>, StorageFailed>
  }
>()("@parley/core/crm/CrmRelease") {
  static readonly layer = Layer.effect(
    CrmRelease,
    Effect.suspend(() => make)
  )

  /** When a bot is deleted, its connections are deleted as well. */
  static readonly farewellLayer = Layer.effect(
    BotFarewell,
    Effect.map(CrmRelease, ({ ofBot }) => ({ leaving: ofBot }))
  )
}

const warn = (provider: CrmProviderId, error: string) =>
  Effect.annotateLogs(Effect.logWarning("The tokens of a CRM connection were not taken back at its provider."), {
    provider,
    error
  })

const tellAll = (all: ReadonlyArray<TellProvider>): Effect.Effect<void> =>
  Effect.all(all, { concurrency: AT_ONCE, discard: true }).pipe(
    Effect.timeoutOrElse({ duration: ALL_WITHIN, orElse: () => Effect.void })
  )

/** Calls a provider once; returns undefined if the provider could not be reached. */
const makeAsk = Effect.map(CrmProviders, (providers) =>
  Effect.fnUntraced(function* (id: CrmProviderId, tokens: RevokeInput) {
    const provider = providers.get(id)
    if (provider === undefined) return yield* Effect.as(warn(id, "crm_not_configured"), undefined)
    return yield* provider.revoke(tokens).pipe(
      Effect.catch(({ code }) => Effect.as(warn(id, code), undefined)),
      Effect.timeoutOrElse({ duration: REVOKE_WITHIN, orElse: () => Effect.as(warn(id, "timeout"), undefined) })
    )
  })
)

/** Makes the calls of providers for queued revocations. */
const makeTell = Effect.gen(function* () {
  const ask = yield* makeAsk
  const jobs = yield* JobQueue
  /** The revocations that this process is making: a worker that takes their job meanwhile waits for their result. */
  const telling = new Map<string, Deferred.Deferred<boolean>>()

  /** Removes the job. If this fails, the job calls the provider once more, which has no effect there. */
  const forget = (id: string) => Effect.ignore(jobs.removeAll(id))

  const tell = (id: string, provider: CrmProviderId, tokens: RevokeInput): TellProvider =>
    Effect.suspend(() => {
      const told = Deferred.makeUnsafe<boolean>()
      telling.set(id, told)
      return ask(provider, tokens).pipe(
        Effect.tap((outcome) => (outcome === undefined ? Effect.void : forget(id))),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            telling.delete(id)
            return Deferred.succeed(told, exit._tag === "Success" && exit.value !== undefined)
          })
        ),
        Effect.map((outcome) => outcome ?? "pending")
      )
    })

  return { ask, tell, telling }
})

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const connections = yield* CrmConnectionStore
  const ids = yield* IdGenerator
  const jobs = yield* JobQueue
  const { ask, tell, telling } = yield* makeTell
  const queue = Effect.fnUntraced(function* (provider: CrmProviderId, tokens: RevokeInput) {
    const id = yield* ids.next
    const payload = yield* Effect.option(sealRevocation(box, id, provider, tokens))
    // Without a sealing key no job is stored, so the call cannot be retried later.
    if (payload._tag === "None") return Effect.map(ask(provider, tokens), (outcome) => outcome ?? ("failed" as const))
    yield* jobs.enqueue(id, RevokeCrmAccess, payload.value)
    return tell(id, provider, tokens)
  })

  const queueConnection = (connection: StoredCrmConnection): Effect.Effect<TellProvider, StorageFailed> =>
    openTokens(box, connection).pipe(
      Effect.flatMap(({ accessToken, refreshToken }) =>
        queue(connection.provider, { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) })
      ),
      Effect.catchTag("SecretUnreadable", ({ code }) =>
        Effect.succeed(Effect.as(warn(connection.provider, code), "failed" as const))
      )
    )

  const remove = (which: CrmConnectionsOf) =>
    Effect.flatMap(connections.remove(which), (removed) => Effect.forEach(removed, queueConnection))

  const again = Effect.fnUntraced(function* (payload: RevocationPayload, last: boolean) {
    const { id, provider } = payload
    const told = telling.get(id)
    if (told !== undefined && (yield* Deferred.await(told))) return
    const tokens = yield* Effect.option(openRevocation(box, payload))
    const outcome = tokens._tag === "None" ? undefined : yield* ask(provider, tokens.value)
    if (outcome !== undefined || last) yield* jobs.removeAll(id)
    if (outcome !== undefined) return
    if (last) return yield* warn(provider, "given_up")
    return yield* new CrmNotRevoked()
  })

  return CrmRelease.of({
    again,
    queue,
    remove,
    revoke: (provider, tokens) =>
      queue(provider, tokens).pipe(
        Effect.flatten,
        Effect.catchTag("StorageFailed", () => Effect.map(ask(provider, tokens), (outcome) => outcome ?? "failed"))
      ),
    ofBot: ({ botId, owner }) => Effect.map(remove({ owner, botId }), tellAll),
    ofPerson: (owner) => Effect.map(remove({ owner }), tellAll)
  })
})

/** The job that revokes access if the process died before it called the provider, or could not reach the provider. */
export const crmRevoking = handledJob(
  RevokeCrmAccess,
  Effect.map(
    CrmRelease,
    ({ again }) =>
      ({ last, payload }) =>
        again(payload, last)
  )
)

interface Replacement {
  readonly former: Pick<StoredCrmConnection, "account">
  readonly replaced: Pick<OpenTokens, "accessToken" | "refreshToken">
  readonly account: CrmAccount
  readonly tokens: RevokeInput | Pick<OpenTokens, "accessToken" | "refreshToken">
}

const secretsOf = ({ accessToken, refreshToken }: Replacement["tokens"]): ReadonlyArray<string> =>
  [accessToken, refreshToken].flatMap((token) => (token === undefined ? [] : [Redacted.value(token)]))

/**
 * Returns true if the earlier access of a connection can be revoked without ending the new one: they have no token in
 * common, and either the provider distinguishes approvals, or the accounts differ. Several providers treat all
 * approvals of one account as one.
 */
export const isReplaced = (provider: CrmProvider, { account, former, replaced, tokens }: Replacement): boolean => {
  const kept = new Set(secretsOf(tokens))
  if (secretsOf(replaced).some((secret) => kept.has(secret))) return false
  if (provider.revokesApprovalAlone === true) return true
  return account.id !== undefined && former.account.id !== undefined && account.id !== former.account.id
}
