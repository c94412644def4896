import type { ParleyServices, SessionVerifier } from "@parley/core"
import type { ManagedRuntime } from "effect"
import type { RequestTracker } from "./RequestTracker.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import type { BodyIntakeOptions } from "./BodyIntake.ts"

/** The Effect runtime that holds Parley's services, for example `parley.runtime`. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, unknown>

/** How long a reader may take nothing, where an option does not say otherwise. */
export const STALLED_READER_MS = 60_000

/** What Parley's routes are served with, whatever they are mounted in. */
export interface HttpOptions extends BodyIntakeOptions {
  /** `parley.runtime`, or any runtime with Parley's services. */
  readonly runtime: ParleyRuntime
  /** Judges session tokens. With development sign-in, `developmentSessions.verifier`. */
  readonly sessions: SessionVerifier["Service"]
  /** The cookie that carries the session token: `parley_session` unless given; over https with `__Host-` before it. */
  readonly sessionCookie?: string | undefined
  /** Where people reach the server. With https, cookies are `Secure`, and only the `__Host-` one counts. */
  readonly baseUrl?: string | undefined
  /** Where people are led once they have signed out, for example the identity provider's own page for it. */
  readonly signOutUrl?: string | undefined
  /** What schedules send as their bearer token to `/api/cron/*`. Without it those routes answer every request with 503. */
  readonly cronSecret?: string | undefined
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
