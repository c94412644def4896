import { EmailSignIn, runtimeOf } from "@parley/core/effect"
import type { RequestListener } from "node:http"
import {
  createParley,
  type IssuedServiceKey,
  type Model,
  openInMemory,
  type Parley,
  type ParleyOptions,
  SERVICE_SCOPES
} from "@parley/core"
import { ModelUnavailable } from "@parley/core/adapter"
import { ChatModels, DocumentParser, DocumentUnreadable } from "@parley/core/adapter"
import { Effect, Layer, Logger, ManagedRuntime, References } from "effect"
import { SignJWT } from "jose"
import {
  HmacSessionVerifier,
  type HttpOptions,
  makeDevelopmentSessions,
  makeOwnSessions,
  parleyApp,
  type ParleyAppOptions,
  RequestTracker
} from "../../src/index.ts"
import { ScriptedModel } from "./ScriptedModel.ts"
import { overNode, type Surface } from "./surfaces.ts"

export const SECRET = new TextEncoder().encode("a secret of the tests, long enough for HS256")

export interface TestServer {
  readonly parley: Parley
  /** A service key with all scopes. */
  readonly serviceKey: IssuedServiceKey
  readonly model: ScriptedModel
  readonly url: string
  readonly port: number
  readonly requests: RequestTracker
  /** The log, one line of JSON per record. */
  readonly log: ReadonlyArray<string>
  /** A request as this user, or without a session. */
  fetch(path: string, init?: RequestInit & { readonly user?: string | undefined }): Promise<Response>
  /** A JSON POST as this user. */
  post(path: string, body: unknown, user?: string): Promise<Response>
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Creates the server's listener from the options; default `parleyApp`. */
  readonly listener?: (options: ParleyAppOptions) => RequestListener
  /** Serves the routes instead of `listener`. */
  readonly surface?: Surface
  /** Under which they are served. */
  readonly prefix?: string
  readonly app?: Partial<Omit<ParleyAppOptions, keyof HttpOptions> & HttpOptions>
  readonly parley?: Partial<ParleyOptions>
  /** Replaces the sign-in by e-mail. */
  readonly emailSignIn?: EmailSignIn["Service"]
  /** Models that no provider runs. */
  readonly unavailable?: ReadonlyArray<string>
}

/** The audience of the sessions. */
export const AUDIENCE = "parley"

/** A session cookie for this user, another one each time: signing out of one leaves the others. */
export const cookieFor = async (
  user: string,
  { secret = SECRET, expiresAt = "1h", claims = {} as Record<string, unknown> } = {}
): Promise<string> => {
  const token = await new SignJWT({ jti: crypto.randomUUID(), aud: AUDIENCE, ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setExpirationTime(expiresAt)
    .sign(secret)
  return `parley_session=${token}`
}

const models = (model: ScriptedModel, unavailable: ReadonlyArray<string>) =>
  ChatModels.of({
    resolve: ({ id }: Model) =>
      unavailable.includes(id) ? Effect.fail(new ModelUnavailable({ model: id })) : Effect.succeed(model)
  })

/** Texts without pages; a line that begins with a hash is a heading, and a text that begins with "locked" is locked. */
const textParser = DocumentParser.of({
  parse: ({ bytes }) => {
    const text = new TextDecoder().decode(bytes)
    if (text.startsWith("locked")) {
      return Effect.fail(new DocumentUnreadable({ reason: "It is protected by a password.", failure: "password" }))
    }
    const headings = [...text.matchAll(/^# (.*)$/gm)].map(({ 1: title = "", index }) => ({
      level: 1,
      title,
      start: index
    }))
    return Effect.succeed({ text, pageStarts: null, ...(headings.length === 0 ? {} : { headings }) })
  }
})

/** Parley with everything in memory behind a real HTTP server on a free port. */
export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const model = new ScriptedModel()
  const parley = await createParley({
    ...(await openInMemory()),
    parser: textParser,
    models: models(model, options.unavailable ?? []),
    ...options.parley
  })
  const serviceKey = await parley.keys.create({ name: "service", scopes: SERVICE_SCOPES })
  const requests = new RequestTracker()
  const log: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => void log.push(line))
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      Layer.effectContext(runtimeOf(parley).contextEffect),
      options.emailSignIn === undefined ? Layer.empty : Layer.succeed(EmailSignIn, options.emailSignIn),
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, "Info")
    )
  )
  const open = options.surface ?? overNode((all, prefix) => (options.listener ?? parleyApp)({ ...all, prefix }))
  const all = {
    runtime,
    sessions: HmacSessionVerifier.make({ secret: SECRET }),
    developmentSessions: makeDevelopmentSessions(),
    emailSignIn: makeOwnSessions({ secrets: [SECRET], issuer: "test", audience: "test", lifetimeSeconds: 3_600 }),
    requests,
    ...options.app
  }
  const { close, port, send, url } = await open(all, options.prefix ?? "")

  const fetchAs: TestServer["fetch"] = async (path, { user, headers, ...init } = {}) => {
    const all = new Headers(headers)
    if (user !== undefined) all.set("cookie", await cookieFor(user))
    return send(`${url}${path}`, { ...init, headers: all })
  }
  return {
    parley,
    serviceKey,
    model,
    url,
    port,
    requests,
    log,
    fetch: fetchAs,
    post: (path, body, user) =>
      fetchAs(path, {
        method: "POST",
        user,
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json" }
      }),
    close: async () => {
      await close()
      await runtime.dispose()
      await parley.close()
    }
  }
}
