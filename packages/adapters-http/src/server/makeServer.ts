import { FairQueue, SessionInvalid, SessionVerifier } from "@parley/core/adapter"
import { Effect } from "effect"
import { allowedOriginsFrom } from "../access/allowedOrigins.ts"
import { widgetOriginOf } from "../access/origins.ts"
import { cronDigestOf } from "../access/secretAccess.ts"
import { makeBodyIntake } from "../body/BodyIntake.ts"
import { sessionCookieOf } from "../sessions/cookies.ts"
import { type Authenticate, type HttpOptions, STALLED_READER_MS, STEP_UP_SECONDS } from "./HttpOptions.ts"
import { FailedTries } from "./FailedTries.ts"
import { makeReadiness } from "./readiness.ts"
import { makePersonRequests } from "./requests.ts"
import type { OpenApiDocument, Server, UntrustedProxy } from "./Server.ts"

const REQUESTS_PER_PERSON = 1_000

const UNTRUSTED_PROXY =
  "Requests come through a proxy that is not trusted to say for whom, so that all its clients count as one and share one limit. Trust it by PARLEY_TRUST_PROXY, the listener's trustProxy or Express' trust proxy."

/** The session verifier of a host with its own sign-in: it refuses every token. */
const noSessions = SessionVerifier.of({ verify: () => Effect.fail(new SessionInvalid({ problem: "refused" })) })

/**
 * Requires either the host's own sign-in or Parley's sessions, and refuses both together, because their results could
 * differ.
 */
const checkSignIn = ({ authenticate, developmentSessions, emailSignIn, sessions }: HttpOptions<never>): void => {
  const isOwn = authenticate !== undefined
  if (isOwn && (sessions ?? developmentSessions ?? emailSignIn) !== undefined) {
    throw new TypeError("Give `authenticate`, or `sessions`, `developmentSessions` and `emailSignIn`, not both.")
  }
  if (!isOwn && sessions === undefined)
    throw new TypeError("No person could sign in: set `sessions` or `authenticate`.")
}

const makeUntrustedProxy = (log: () => void): UntrustedProxy => {
  const proxy = {
    isSeen: false,
    see: () => {
      if (!proxy.isSeen) log()
      proxy.isSeen = true
    }
  }
  return proxy
}

const makeQueue = () => new FairQueue({ places: 4, perPerson: 1, rest: { times: 1, longestMs: 500 } })

/**
 * Makes a server from its options. Throws if `baseUrl` is not a URL, if `widgetOrigin` is not an origin, or if no
 * sign-in is set.
 */
export const makeServer = (options: HttpOptions<never>, document: () => OpenApiDocument): Server => {
  const { baseUrl, runtime } = options
  checkSignIn(options)
  return {
    runtime,
    address: baseUrl === undefined ? undefined : new URL(baseUrl),
    widgetOrigin: widgetOriginOf(options),
    allowedOrigins: allowedOriginsFrom(options.allowedOrigins),
    authenticate: options.authenticate as Authenticate<unknown> | undefined,
    bearerTokens: options.bearerTokens ?? true,
    bodies: makeBodyIntake(options),
    cronDigest: cronDigestOf(options.cronSecret),
    developmentSessions: options.developmentSessions,
    document,
    emailSignIn: options.emailSignIn,
    largeWork: { read: makeQueue(), write: makeQueue() },
    personRequests: makePersonRequests(options.requestsPerPerson ?? REQUESTS_PER_PERSON),
    ready: makeReadiness(options.ready ?? (() => Promise.resolve()), runtime),
    failedTries: new FailedTries(),
    requests: options.requests,
    sessionCookie: sessionCookieOf(options),
    sessions: options.sessions ?? noSessions,
    signOutUrl: options.signOutUrl,
    stalledReaderMs: options.stalledReaderMs ?? STALLED_READER_MS,
    stepUpSeconds: options.stepUpSeconds ?? STEP_UP_SECONDS,
    untrustedProxy: makeUntrustedProxy(() => void runtime.runFork(Effect.logWarning(UNTRUSTED_PROXY)))
  }
}
