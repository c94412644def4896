import { checkReadiness, type DatabaseError } from "@parley/adapters-db"
import {
  createHttpServer,
  HmacSessionVerifier,
  makeDevelopmentSessions,
  parleyApp,
  RequestTracker
} from "@parley/adapters-http"
import { dashboardRouter } from "@parley/dashboard"
import { Effect, type ManagedRuntime, Redacted } from "effect"
import { PortTaken } from "../commands/commandErrors.ts"
import type { ServerParts } from "../compose.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { version } from "../version.ts"

/** How long requests that run may take once the server stops. */
export const DRAIN_MS = 10_000
/** The most connections, in all and from one address. */
const CONNECTIONS = 10_000
const CONNECTIONS_PER_PEER = 500

/** The API and the dashboard on the configured port until the scope closes; gives the port taken. */
export const openHttp = Effect.fnUntraced(function* (
  config: ParleyConfig,
  runtime: ManagedRuntime.ManagedRuntime<ServerParts, DatabaseError>
) {
  const requests = new RequestTracker()
  const app = parleyApp({
    runtime,
    requests,
    ...sessionOptions(config),
    sessionCookie: config.session.cookieName,
    baseUrl: config.baseUrl,
    cronSecret: config.cronSecret && Redacted.value(config.cronSecret),
    trustProxy: config.trustProxy,
    version,
    ready: () => runtime.runPromise(checkReadiness())
  })
  // A proxy brings the connections of everybody.
  const connections = {
    total: CONNECTIONS,
    perPeer: config.trustProxy === undefined ? CONNECTIONS_PER_PEER : undefined
  }
  const server = createHttpServer(app, { requests, connections })
  const { host, port } = config
  const listening = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => server.listen({ host, port }),
      catch: (error) => new PortTaken({ host, port, problem: (error as NodeJS.ErrnoException).code ?? "unknown error" })
    }),
    () => Effect.promise(() => server.close({ deadlineMs: DRAIN_MS }))
  )
  return listening.port
})

/** Who may sign in how, and the page that goes with it. */
const sessionOptions = ({ session, uploads }: ParleyConfig) => {
  const offered = uploads.types === undefined ? {} : { uploadTypes: uploads.types }
  if (session.secret === undefined) {
    const developmentSessions = makeDevelopmentSessions()
    const pages = dashboardRouter({ signIn: { kind: "development" }, ...offered })
    return { sessions: developmentSessions.verifier, developmentSessions, pages }
  }
  const { audience, issuer } = session
  const sessions = HmacSessionVerifier.make({ secret: Redacted.value(session.secret), audience, issuer })
  return { sessions, pages: dashboardRouter({ signIn: { kind: "elsewhere" }, ...offered }) }
}
