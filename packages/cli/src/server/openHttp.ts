import { absentCells, type DatabaseError, Databases } from "@parley/adapters-db"
import type { ReadinessCheck } from "@parley/adapters-http"
import {
  answerNotFound,
  createHttpServer,
  type HttpServer,
  HmacSessionVerifier,
  JwksSessionVerifier,
  isLocalRequest,
  isWidgetHost,
  makeDevelopmentSessions,
  parleyListener,
  RequestTracker
} from "@parley/adapters-http/node"
import { brandColours } from "@parley/core/reading"
import { ReplyRunner } from "@parley/core/effect"
import type { DashboardOptions } from "@parley/dashboard"
import { Context, Duration, Effect, type ManagedRuntime, Redacted } from "effect"
import { PassedSocketUnusable, PortTaken } from "../running/commandErrors.ts"
import type { Parts } from "../compose.ts"
import { PASSED_SOCKET } from "../config/passedSockets.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { usesStandInPayments } from "../config/rules/serveRules.ts"
import { expectedClaims, providerKeysOf, usesDevelopmentSignIn } from "../config/session/sessionProof.ts"
import { isForStandIn, PaymentStandIn } from "../payments/PaymentStandIn.ts"
import { STAND_IN_PATH } from "../payments/standInPath.ts"
import { Surroundings } from "../Surroundings.ts"
import { version } from "../version.ts"
import { ownSessions } from "../signIn/ownSessions.ts"
import { accessLog } from "./accessLog.ts"
import { lateListener } from "./lateListener.ts"
import { serverUrl } from "./startUpText.ts"

/** The most connections, in all and from one address. */
const CONNECTIONS = 10_000
const CONNECTIONS_PER_PEER = 500

/** The pages to which people are led to sign in by e-mail, and after signing out. */
const OWN_PAGES = { signIn: "/sign-in", signOut: "/" }

/**
 * Serves the API and the dashboard on the configured port until the scope closes; returns the port, a function that
 * loads the pages, and one that starts a stand-in for payments.
 */
export const openHttp = Effect.fnUntraced(function* (
  config: ParleyConfig,
  runtime: ManagedRuntime.ManagedRuntime<Parts, DatabaseError>
) {
  const requests = new RequestTracker()
  const pages = lateListener(async () => {
    const { dashboardPages } = await import("./pages.ts")
    return dashboardPages(dashboardOptions(config))
  })
  const parts = yield* runtime.contextEffect
  const standIn = Context.get(parts, PaymentStandIn)
  const replies = Context.get(parts, ReplyRunner)
  const widgetOrigin = config.widgetOrigin === undefined ? undefined : new URL(config.widgetOrigin)
  const app = parleyListener({
    runtime,
    requests,
    otherwise: (request, response) => {
      if (isWidgetHost(widgetOrigin, request.headers)) return answerNotFound(request, response)
      if (standIn === undefined || !isForStandIn(request)) return pages.listener(request, response)
      // Unless it is allowed explicitly, the stand-in answers only this machine.
      const answers = config.allowStandIns || isLocalRequest(request)
      return answers ? standIn.listener(request, response) : answerNotFound(request, response)
    },
    ...sessionOptions(config),
    sessionCookie: config.session.cookieName,
    sessionPreset: config.session.preset,
    baseUrl: config.baseUrl,
    widgetOrigin: config.widgetOrigin,
    onAnswered: accessLog(config, (yield* Surroundings).stdout),
    signOutUrl: config.session.signOutUrl,
    stepUpSeconds: config.session.stepUpSeconds,
    allowedOrigins: config.allowedOrigins,
    cronSecret: config.cronSecret && Redacted.value(config.cronSecret),
    trustProxy: config.trustProxy,
    version,
    ready: () => runtime.runPromise(readiness)
  })
  // A proxy forwards the connections of all clients.
  const connections = {
    total: CONNECTIONS,
    perPeer: config.trustProxy === undefined ? CONNECTIONS_PER_PEER : undefined
  }
  const server = createHttpServer(app, { requests, connections })
  const listening = yield* Effect.acquireRelease(listen(server, config), () => drain(server, config, replies))
  const beginPayments = () =>
    standIn?.serveAt(serverUrl(config, listening.port), ownUrl(listening.host, listening.port))
  return { port: listening.port, loadPages: pages.load, beginPayments }
})

/** Fails if the server cannot serve; if it serves several cells, the absent ones are named in a check. */
const readiness = Effect.gen(function* () {
  const { cells } = yield* Databases
  const absent = yield* absentCells()
  if (cells === undefined) return []
  const check: ReadinessCheck =
    absent.length === 0
      ? { name: "cells", status: "ok", detail: `all of ${cells.byName.size} answer` }
      : { name: "cells", status: "failed", detail: `not ready: ${absent.join(", ")}` }
  return [check]
})

/** Listens on the socket that systemd passes, or else on the configured port; returns the address. */
const listen = (
  server: HttpServer,
  { host, passedSockets, port }: ParleyConfig
): Effect.Effect<{ readonly host: string; readonly port: number }, PortTaken | PassedSocketUnusable> =>
  passedSockets === undefined
    ? Effect.tryPromise({
        try: () => server.listen({ host, port }),
        catch: (error) =>
          new PortTaken({ host, port, problem: (error as NodeJS.ErrnoException).code ?? "unknown error" })
      })
    : Effect.tryPromise({
        try: () => server.listen({ descriptor: PASSED_SOCKET }),
        catch: () => new PassedSocketUnusable()
      })

/**
 * Takes requests until proxies have turned to other servers, then lets running requests finish, and then replies whose
 * readers have left; the last two share the time.
 */
const drain = Effect.fnUntraced(function* (
  server: HttpServer,
  { drainSeconds, shutdownDelaySeconds }: ParleyConfig,
  replies: ReplyRunner["Service"]
) {
  const delayMs = shutdownDelaySeconds * 1_000
  const deadlineMs = drainSeconds * 1_000
  const [closing] = yield* Effect.timed(Effect.promise(() => server.close({ deadlineMs, delayMs })))
  yield* Effect.timeoutOption(replies.idle, Math.max(0, delayMs + deadlineMs - Duration.toMillis(closing)))
})

/** The address at which this process reaches its own server. */
const ownUrl = (host: string, port: number): string => {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`
}

/** The sign-in options. */
const sessionOptions = (config: ParleyConfig) => {
  const { session } = config
  const { proof } = session
  const emailSignIn = ownSessions(config)
  if (emailSignIn !== undefined) return { sessions: emailSignIn.verifier, emailSignIn }
  const keys = providerKeysOf(session)
  if (keys !== undefined) return { sessions: JwksSessionVerifier.make(keys) }
  if (proof?._tag === "Secret") {
    const secret = proof.secrets.map(Redacted.value)
    return { sessions: HmacSessionVerifier.make({ secret, ...expectedClaims(session) }) }
  }
  const developmentSessions = makeDevelopmentSessions()
  return { sessions: developmentSessions.verifier, developmentSessions }
}

/** The server's settings for the page. */
const dashboardOptions = (config: ParleyConfig): DashboardOptions => {
  const { proof, signInUrl, signOutUrl } = config.session
  const own = proof?._tag === "Own" ? OWN_PAGES : undefined
  return {
    signIn: usesDevelopmentSignIn(config)
      ? { kind: "development" }
      : { kind: "elsewhere", url: signInUrl ?? own?.signIn, signOutUrl: signOutUrl ?? own?.signOut },
    standInPayments: usesStandInPayments(config) ? STAND_IN_PATH : undefined,
    widgetOrigin: config.widgetOrigin,
    branding: dashboardBranding(config)
  }
}

const dashboardBranding = ({ settings }: ParleyConfig): DashboardOptions["branding"] => {
  const { logo, name, ...accents } = settings.branding ?? {}
  return { name, logo, colours: brandColours(accents) }
}
