import type { ParleyServices } from "@parley/core/effect"
import type { OperatorRole, SessionVerifier } from "@parley/core/adapter"
import type { ManagedRuntime } from "effect"
import type { BodyIntakeOptions } from "../body/BodyIntake.ts"
import type { AnsweredRequest } from "./AnsweredRequest.ts"
import type { RequestTracker } from "./requests.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import type { OwnSessions } from "../sessions/ownSessions.ts"
import type { SessionPreset } from "../sessions/sessionSettings.ts"

/** The Effect runtime that holds Parley's services, for example `runtimeOf(parley)`. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, unknown>

/** A check of a server that is ready: it serves requests, even if a check has failed. */
export interface ReadinessCheck {
  readonly name: string
  readonly status: "ok" | "failed"
  /** A sentence for operators. Everyone can read it. */
  readonly detail: string
}

/** A person, as the host's own sign-in identifies them. */
export interface SignedIn {
  /** The host's stable id of the person: 1 to 255 characters, never reused for another person. */
  readonly userId: string
  /** A verified address, if there is one. */
  readonly email?: string | undefined
  /** The name that people see, if it is known. */
  readonly name?: string | undefined
  /** The person's role as an operator: `owner` or `support`. Trust only a source that people cannot change themselves. */
  readonly role?: OperatorRole | undefined
  /** Unix time in milliseconds after which this expires; shown to the person, not enforced. */
  readonly expiresAt?: number | undefined
  /**
   * When the person signed in, in Unix milliseconds: an earlier sign-in is refused after `parley users sign-out` and
   * after an erasure, and an operator with an old one cannot write. Without it, the host ends sessions itself, and every
   * sign-in is a fresh one.
   */
  readonly issuedAt?: number | undefined
}

/**
 * Returns the person of a request, or undefined without a signed-in person (401). It is called once for each request of a
 * person, before the body is read, and replaces session cookies and bearer tokens. It must
 *
 * - trust only proof: a signature, or a session of the host, and no header that a client can write;
 * - always return the same `userId` for the same person, and never that of another person;
 * - refuse signed-out and expired people itself, because Parley keeps no session then; Parley refuses people whom its
 *   operator blocked;
 * - leave the request's body unread.
 *
 * If it throws or rejects, the response is 500 without the error's text.
 */
export type Authenticate<Request> = (request: Request) => SignedIn | undefined | Promise<SignedIn | undefined>

/** Default for the longest time in which a reader reads nothing. */
export const STALLED_READER_MS = 60_000
/** Default for the longest time since the sign-in of an operator who writes, or a person who exports or deletes their data. */
export const STEP_UP_SECONDS = 900

/** Options of Parley's routes, for every kind of server. `Source` is the host's own request type. */
export interface HttpOptions<Source = unknown> extends BodyIntakeOptions {
  /** `runtimeOf(parley)`, or any runtime with Parley's services. */
  readonly runtime: ParleyRuntime
  /**
   * Verifies session tokens, in cookies and as bearer tokens. With the development sign-in, use
   * `developmentSessions.verifier`. Required unless `authenticate` is set.
   */
  readonly sessions?: SessionVerifier["Service"] | undefined
  /** The host's own sign-in, in the place of `sessions`: asked with the request as the host has it. */
  readonly authenticate?: Authenticate<Source> | undefined
  /** False if tokens count in the cookie only, for example behind a proxy that sets `Authorization` itself. */
  readonly bearerTokens?: boolean | undefined
  /**
   * Origins whose pages may call for the signed-in person, for example a front end on a sibling domain
   * (`https://app.example.com`): only they get CORS headers, with credentials. Default none.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** The cookie that carries the session token; default `parley_session`; over https with `__Host-` before it. */
  readonly sessionCookie?: string | undefined
  /**
   * The provider whose library sets `sessionCookie`: over https the cookie then counts under its own name, without
   * `__Host-`. `presetDefaults` returns the name.
   */
  readonly sessionPreset?: SessionPreset | undefined
  /** The address that people use. With https, cookies are `Secure`, and only the `__Host-` one counts. */
  readonly baseUrl?: string | undefined
  /**
   * Another origin that leads to this server, for example `https://widget.example.com`. The pages and routes for
   * visitors of bots are served there alone, and nothing else is, so that they share no origin with signed-in people.
   */
  readonly widgetOrigin?: string | undefined
  /**
   * Called once for each request whose response has ended or was broken off, also for those without a route; only
   * Node's listener does. It must not throw.
   */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined
  /** The longest time since the sign-in of an operator who writes, in seconds; default 15 minutes. */
  readonly stepUpSeconds?: number | undefined
  /** The address to which people are led after signing out, for example the identity provider's page for it. */
  readonly signOutUrl?: string | undefined
  /** The bearer token of schedules for `/api/cron/*`. Without it those routes answer every request with 503. */
  readonly cronSecret?: string | undefined
  /** Enables `POST /dev/sign-in`, for requests to a local Host only. Never set it if others can reach the server. */
  readonly developmentSessions?: DevelopmentSessions | undefined
  /**
   * Enables the page `/sign-in`, where people sign in by e-mail: the sessions that it issues, whose `verifier` belongs in
   * `sessions`. The runtime provides a `Mailer`. Without `baseUrl` the page exists on this machine only.
   */
  readonly emailSignIn?: OwnSessions | undefined
  /**
   * Rejects if a dependency of the server does not answer; `GET /readyz` calls it at most once a second. It may return
   * checks for that response: of parts that some people need.
   */
  readonly ready?: (() => Promise<ReadonlyArray<ReadinessCheck> | void>) | undefined
  /** Shown in the OpenAPI document; the version of this package unless given. */
  readonly version?: string | undefined
  /**
   * Longest time in which the reader of a stream reads nothing before the connection is closed; default one minute.
   */
  readonly stalledReaderMs?: number | undefined
  /** The most concurrent requests of one person, streamed replies included; default 1,000. */
  readonly requestsPerPerson?: number | undefined
  /** Counts every request being worked on. */
  readonly requests?: RequestTracker | undefined
}
