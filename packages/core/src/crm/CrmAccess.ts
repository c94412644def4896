import { Clock, Context, Effect, Exit, Layer, type Redacted, Schedule } from "effect"
import type { SecretsNotConfigured, SecretUnreadable } from "../secrets/errors.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { inputsOf } from "../storage/inputs.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import {
  CrmConnectionName,
  CrmConnectionStore,
  type CrmStanding,
  type StoredCrmConnection
} from "./CrmConnectionStore.ts"
import { type CrmProvider, CrmProviders, type CrmTokens } from "./CrmProvider.ts"
import { CrmRelease, isReplaced } from "./CrmRelease.ts"
import {
  CrmAnswerLost,
  type CrmFailed,
  CrmNeedsReconnect,
  CrmNotConfigured,
  CrmNotConnected,
  CrmUnavailable
} from "./errors.ts"
import { openTokens, sealTokens } from "./tokenSecret.ts"

/**
 * Milliseconds: a token that expires within this time is refreshed, because it must outlive the request that uses it.
 */
const MARGIN_MS = 60_000
/**
 * The time limit of a refresh. It is shorter than the lease, so that no other process claims the refresh while it may
 * still be running.
 */
const REFRESH_WITHIN = "30 seconds"
const LEASE_MS = 90_000
/** The maximum time in milliseconds that other callers wait for the caller that refreshes. */
const WAIT_MS = 40_000
/** The maximum number of consecutive claims that were not ended, because the process died during the refresh. */
const MAX_TRIES = 3

/** The retries of a request that the provider did not accept. */
const resend = Schedule.jittered(Schedule.max([Schedule.exponential("200 millis"), Schedule.recurs(2)]))
/**
 * The maximum time in milliseconds that a call waits at the provider's request; a longer wait is reported to the
 * caller.
 */
const MAX_PATIENCE_MS = 2_000
const watching = Schedule.jittered(Schedule.min([Schedule.exponential("30 millis"), Schedule.spaced("500 millis")]))

/** A token with which the account at the provider can be accessed. */
export interface CrmAccessToken {
  readonly accessToken: Redacted.Redacted<string>
  readonly tokenType: string
}

export type CrmAccessFailed =
  | CrmNotConnected
  | CrmNotConfigured
  | CrmNeedsReconnect
  | CrmFailed
  | SecretsNotConfigured
  | SecretUnreadable
  | StorageFailed

/** Provides the access tokens of connections. */
export class CrmAccess extends Context.Service<
  CrmAccess,
  {
    /**
     * Returns a token that, according to the provider, is valid for at least another minute. If the token has to be
     * refreshed, one of all concurrent callers in all processes does so, and stores the response before any caller gets
     * the token. If the response of a refresh is lost, the refresh token may have been used, so the connection ends:
     * later calls fail with `CrmNeedsReconnect`, without a request.
     */
    accessToken(name: CrmConnectionName): Effect.Effect<CrmAccessToken, CrmAccessFailed>
  }
>()("@parley/core/crm/CrmAccess") {
  static readonly inputs = inputsOf<CrmAccess["Service"]>()({ accessToken: [{ name: CrmConnectionName }] })
  static readonly layer = Layer.effect(
    CrmAccess,
    Effect.suspend(() => make)
  )
}

const CONNECTED: CrmStanding = { state: "connected", problem: undefined }

/** The state of a connection after a failed refresh. */
export const standingAfter = (failure: CrmFailed): CrmStanding => {
  if (failure._tag === "CrmAnswerLost") return { state: "needs_reconnect", problem: "answer_lost" }
  if (failure._tag === "CrmUnavailable") return { state: "error", problem: "unavailable" }
  return failure.reason === "grant"
    ? { state: "needs_reconnect", problem: "refused" }
    : { state: "error", problem: "client" }
}

/** The reason why a connection has lost its access for good; undefined if it has access, or may have access again. */
export const endedBy = (
  { expiresAt, problem, refreshable, state }: StoredCrmConnection,
  now: number
): CrmNeedsReconnect["problem"] | undefined => {
  if (state === "needs_reconnect") return problem === "answer_lost" || problem === "expired" ? problem : "refused"
  return !refreshable && expiresAt !== undefined && expiresAt <= now ? "expired" : undefined
}

const isFresh = ({ expiresAt, refreshable }: StoredCrmConnection, now: number): boolean =>
  expiresAt === undefined || expiresAt - (refreshable ? MARGIN_MS : 0) > now

/**
 * Calls the provider. A request that the provider did not accept is retried a few times; a request that it may have
 * accepted is never retried.
 */
const ask = (provider: CrmProvider, refreshToken: Redacted.Redacted<string>): Effect.Effect<CrmTokens, CrmFailed> =>
  provider.refresh(refreshToken).pipe(
    Effect.retry({
      schedule: resend,
      while: (failure) => failure._tag === "CrmUnavailable" && (failure.retryAfterMs ?? 0) <= MAX_PATIENCE_MS
    }),
    Effect.timeoutOrElse({
      duration: REFRESH_WITHIN,
      orElse: () => Effect.fail(new CrmAnswerLost({ operation: "refresh", cause: new Error("No answer in time.") }))
    })
  )

const makeRefresh = Effect.gen(function* () {
  const box = yield* SecretBox
  const release = yield* CrmRelease
  const store = yield* CrmConnectionStore

  /** Refreshes the tokens under a claim, and stores the result. Returns undefined if the claim was lost. */
  return Effect.fnUntraced(function* (
    connection: StoredCrmConnection,
    provider: CrmProvider,
    { lease, tries }: { readonly lease: string; readonly tries: number }
  ) {
    const opened = yield* openTokens(box, connection)
    if (opened.refreshToken === undefined) return undefined
    const answer =
      tries > MAX_TRIES
        ? Exit.fail(new CrmAnswerLost({ operation: "refresh", cause: new Error("Nobody ended the refresh.") }))
        : yield* Effect.exit(ask(provider, opened.refreshToken))
    if (Exit.isFailure(answer)) {
      return yield* Effect.catch(answer, (failure) =>
        Effect.gen(function* () {
          const standing = standingAfter(failure)
          const ended = { name: connection, lease, tokens: undefined, standing }
          yield* Effect.annotateLogs(Effect.logWarning("A CRM connection was not refreshed."), {
            provider: provider.id,
            error: failure.code,
            ...(failure._tag === "CrmRefused" ? { reason: failure.reason } : {})
          })
          if (!(yield* retryStorage(store.endRefresh(ended)))) return undefined
          if (standing.state !== "needs_reconnect") return yield* failure
          return yield* new CrmNeedsReconnect({
            problem: standing.problem === "answer_lost" ? "answer_lost" : "refused"
          })
        })
      )
    }
    const tokens = yield* sealTokens(box, connection, answer.value, opened.refreshToken)
    const kept = yield* retryStorage(store.endRefresh({ name: connection, lease, tokens, standing: CONNECTED }))
    const { accessToken, refreshToken, tokenType } = answer.value
    if (kept) return { accessToken, tokenType }
    // The person disconnected or reconnected meanwhile; that could not revoke these tokens, because they were not
    // stored yet.
    const now = yield* store.find(connection)
    const renewed = { former: connection, replaced: { accessToken, refreshToken } }
    const isLeft =
      now === undefined ||
      (now.connectedAt !== connection.connectedAt &&
        isReplaced(provider, { ...renewed, account: now.account, tokens: yield* openTokens(box, now) }))
    if (isLeft) {
      yield* release.revoke(provider.id, { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) })
    }
    return undefined
  })
})

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const ids = yield* IdGenerator
  const providers = yield* CrmProviders
  const refresh = yield* makeRefresh
  const store = yield* CrmConnectionStore

  /** One try: returns the token if it is valid; undefined if another caller is refreshing it. */
  const look = Effect.fnUntraced(function* (name: CrmConnectionName) {
    const connection = yield* store.find(name)
    if (connection === undefined) return yield* new CrmNotConnected()
    const now = yield* Clock.currentTimeMillis
    const problem = endedBy(connection, now)
    if (problem !== undefined) return yield* new CrmNeedsReconnect({ problem })
    if (isFresh(connection, now)) {
      const { accessToken, tokenType } = yield* openTokens(box, connection)
      return { accessToken, tokenType }
    }
    const provider = providers.get(connection.provider)
    if (provider === undefined) return yield* new CrmNotConfigured({ missing: "provider" })
    const lease = yield* ids.next
    const { version } = connection
    // Once the provider was asked, its response is stored even if the caller is interrupted.
    return yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const claim = yield* store.claimRefresh({ name: connection, version, lease, leaseMs: LEASE_MS })
        if (claim._tag !== "Claimed") return undefined
        return yield* refresh(connection, provider, { lease, tries: claim.tries })
      })
    )
  })

  const patience = () =>
    new CrmUnavailable({ operation: "refresh", cause: new Error("Somebody else's refresh did not end.") })

  return CrmAccess.of({
    accessToken: Effect.fn("CrmAccess.accessToken")(function* (name) {
      return yield* look(name).pipe(
        Effect.flatMap((token) => (token === undefined ? Effect.fail("busy" as const) : Effect.succeed(token))),
        Effect.retry({ schedule: watching, while: (failure) => failure === "busy" }),
        Effect.timeoutOrElse({ duration: WAIT_MS, orElse: () => Effect.fail(patience()) }),
        Effect.catchIf(
          (failure) => failure === "busy",
          () => Effect.fail(patience())
        )
      )
    })
  })
})
