import type { ParleyServices } from "@parley/core/effect"
import type { SessionVerifier } from "@parley/core/adapter"
import type { ManagedRuntime } from "effect"
import type { RequestTracker } from "./RequestTracker.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import type { SessionPreset } from "../sessions/SessionPreset.ts"
import type { ApiKey } from "./ApiKeys.ts"
import type { BodyIntakeOptions } from "./BodyIntake.ts"
import type { Authenticate } from "./PersonSignIn.ts"

/** The Effect runtime that holds Parley's services, for example `parley.runtime`. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, unknown>

/** How long a reader may take nothing, where an option does not say otherwise. */
export const STALLED_READER_MS = 60_000

/** What Parley's routes are served with, whatever they are mounted in. `Source` is a request as the host has it. */
export interface HttpOptions<Source = unknown> extends BodyIntakeOptions {
  /** `parley.runtime`, or any runtime with Parley's services. */
  readonly runtime: ParleyRuntime
  /**
   * Judges session tokens, in cookies and as bearer tokens. With development sign-in, `developmentSessions.verifier`. Left
   * out where `authenticate` says who people are, and only there.
   */
  readonly sessions?: SessionVerifier["Service"] | undefined
  /** The host's own sign-in, in the place of `sessions`: asked with the request as the host has it. */
  readonly authenticate?: Authenticate<Source> | undefined
  /** False where tokens count in the cookie alone, for example behind a proxy that writes `Authorization` itself. */
  readonly bearerTokens?: boolean | undefined
  /**
   * Origins whose pages may call for the person who is signed in, for example a front end on a sibling domain
   * (`https://app.example.com`): they alone get CORS headers, with credentials. None unless given.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** The cookie that carries the session token: `parley_session` unless given; over https with `__Host-` before it. */
  readonly sessionCookie?: string | undefined
  /**
   * Whose library sets `sessionCookie`: over https it counts under its own name then, without `__Host-`. Supabase's is
   * `sb-<project>-auth-token`.
   */
  readonly sessionPreset?: SessionPreset | undefined
  /** Where people reach the server. With https, cookies are `Secure`, and only the `__Host-` one counts. */
  readonly baseUrl?: string | undefined
  /** Where people are led once they have signed out, for example the identity provider's own page for it. */
  readonly signOutUrl?: string | undefined
  /** What schedules send as their bearer token to `/api/cron/*`. Without it those routes answer every request with 503. */
  readonly cronSecret?: string | undefined
  /** Keys with which services call `/v1/credits/*`; without any those routes do not exist. */
  readonly apiKeys?: ReadonlyArray<ApiKey> | undefined
  /** Turns on `POST /dev/sign-in`, for requests to a local Host only. Never give it where others can reach the server. */
  readonly developmentSessions?: DevelopmentSessions | undefined
  /** Rejects where something the server depends on does not answer; `GET /readyz` asks, at most once a second. */
  readonly ready?: (() => Promise<void>) | undefined
  /** Shown in the OpenAPI document. */
  readonly version?: string | undefined
  /** How long a reader of a stream may take nothing before the connection is given up: one minute unless given. */
  readonly stalledReaderMs?: number | undefined
  /** The most requests that one person may have under way, replies that are streamed included: 1,000 unless given. */
  readonly requestsPerPerson?: number | undefined
  /** Counts every request being worked on. */
  readonly requests?: RequestTracker | undefined
}
