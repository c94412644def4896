import { SessionVerifier } from "@parley/core"
import { Layer } from "effect"
import { sessionCookieOf } from "../sessions/sessionCookie.ts"
import { ApiDocument, type OpenApiDocument } from "./ApiDocument.ts"
import { BodyIntake, makeBodyIntake } from "./BodyIntake.ts"
import { CronSecret, cronSecretFrom } from "./CronSecret.ts"
import { DevelopmentSignIn } from "./DevelopmentSignIn.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import type { HttpServices } from "./HttpServices.ts"
import { LargeWorkTurns, makeLargeWorkTurns } from "./LargeWorkTurns.ts"
import { makePersonRequests, PersonRequests } from "./PersonRequests.ts"
import { PublicAddress } from "./PublicAddress.ts"
import { makeReadiness, Readiness } from "./Readiness.ts"
import { makeRefusalLog, RefusalLog } from "./RefusalLog.ts"
import { SessionCookies } from "./SessionCookies.ts"
import { SignOutPage } from "./SignOutPage.ts"

const REQUESTS_PER_PERSON = 1_000

/** The services of one server. Throws where `baseUrl` is not a URL. */
export const httpServicesLayer = (options: HttpOptions, document: OpenApiDocument): Layer.Layer<HttpServices> => {
  const { baseUrl } = options
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  return Layer.mergeAll(
    Layer.succeed(ApiDocument, document),
    Layer.sync(BodyIntake, () => makeBodyIntake(options)),
    Layer.sync(CronSecret, () => cronSecretFrom(options.cronSecret)),
    Layer.succeed(DevelopmentSignIn, { sessions: options.developmentSessions }),
    Layer.sync(LargeWorkTurns, makeLargeWorkTurns),
    Layer.sync(PersonRequests, () => makePersonRequests(options.requestsPerPerson ?? REQUESTS_PER_PERSON)),
    Layer.succeed(PublicAddress, { url }),
    Layer.sync(Readiness, () => makeReadiness(options.ready ?? (() => Promise.resolve()))),
    Layer.sync(RefusalLog, makeRefusalLog),
    Layer.succeed(SessionCookies, sessionCookieOf(options)),
    Layer.succeed(SessionVerifier, options.sessions),
    Layer.succeed(SignOutPage, { url: options.signOutUrl })
  )
}
