import { SessionInvalid, SessionVerifier } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { sessionCookieOf } from "../sessions/sessionCookie.ts"
import { AllowedOrigins, allowedOriginsFrom } from "./AllowedOrigins.ts"
import { ApiDocument, type OpenApiDocument } from "./ApiDocument.ts"
import { ApiKeys, apiKeysFrom } from "./ApiKeys.ts"
import { BodyIntake, makeBodyIntake } from "./BodyIntake.ts"
import { CronSecret, cronSecretFrom } from "./CronSecret.ts"
import { DevelopmentSignIn } from "./DevelopmentSignIn.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import type { HttpServices } from "./HttpServices.ts"
import { LargeWork, makeLargeWork } from "./LargeWork.ts"
import { makePersonRequests, PersonRequests } from "./PersonRequests.ts"
import { type Authenticate, PersonSignIn } from "./PersonSignIn.ts"
import { PublicAddress } from "./PublicAddress.ts"
import { makeReadiness, Readiness } from "./Readiness.ts"
import { makeRefusalLog, RefusalLog } from "./RefusalLog.ts"
import { SessionCookies } from "./SessionCookies.ts"
import { SignOutPage } from "./SignOutPage.ts"
import { makeUntrustedProxy, UntrustedProxy } from "../exchange/UntrustedProxy.ts"

const REQUESTS_PER_PERSON = 1_000

const UNTRUSTED_PROXY =
  "Requests come through a proxy that is not trusted to say for whom, so that all its clients count as one and share one limit. Trust it by PARLEY_TRUST_PROXY, the listener's trustProxy or Express' trust proxy."

/** Replaces the session verifier if the host has its own sign-in: it accepts no token. */
const noSessions = SessionVerifier.of({ verify: () => Effect.fail(new SessionInvalid({ problem: "refused" })) })

/** Exactly one sign-in is allowed: with two, their results could differ. */
const checkSignIn = ({ authenticate, developmentSessions, sessions }: HttpOptions<never>): void => {
  const isOwn = authenticate !== undefined
  if (isOwn && (sessions !== undefined || developmentSessions !== undefined)) {
    throw new TypeError("Give `authenticate`, or `sessions` and `developmentSessions`, not both.")
  }
  if (!isOwn && sessions === undefined) throw new TypeError("Nobody could sign in: give `sessions` or `authenticate`.")
}

/** The services of one server. Throws if `baseUrl` is not a URL, or if no sign-in is configured. */
export const httpServicesLayer = (
  options: HttpOptions<never>,
  document: () => OpenApiDocument
): Layer.Layer<HttpServices> => {
  const { baseUrl } = options
  checkSignIn(options)
  const signIn = {
    authenticate: options.authenticate as Authenticate<unknown> | undefined,
    bearerTokens: options.bearerTokens ?? true
  }
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  return Layer.mergeAll(
    Layer.succeed(AllowedOrigins, allowedOriginsFrom(options.allowedOrigins)),
    Layer.succeed(ApiDocument, document),
    Layer.sync(ApiKeys, () => apiKeysFrom(options.apiKeys)),
    Layer.sync(BodyIntake, () => makeBodyIntake(options)),
    Layer.sync(CronSecret, () => cronSecretFrom(options.cronSecret)),
    Layer.succeed(DevelopmentSignIn, { sessions: options.developmentSessions }),
    Layer.sync(LargeWork, makeLargeWork),
    Layer.sync(PersonRequests, () => makePersonRequests(options.requestsPerPerson ?? REQUESTS_PER_PERSON)),
    Layer.succeed(PersonSignIn, signIn),
    Layer.succeed(PublicAddress, { url }),
    Layer.sync(Readiness, () => makeReadiness(options.ready ?? (() => Promise.resolve()))),
    Layer.sync(RefusalLog, makeRefusalLog),
    Layer.succeed(SessionCookies, sessionCookieOf(options)),
    Layer.succeed(SessionVerifier, options.sessions ?? noSessions),
    Layer.succeed(SignOutPage, { url: options.signOutUrl }),
    Layer.sync(UntrustedProxy, () =>
      makeUntrustedProxy(() => void options.runtime.runFork(Effect.logWarning(UNTRUSTED_PROXY)))
    )
  )
}
