import type { SessionVerifier } from "@parley/core/adapter"
import type { FairQueue } from "@parley/core/adapter"
import type { Effect } from "effect"
import type { BodyIntake } from "../body/BodyIntake.ts"
import type { NotReady } from "../problems/errors.ts"
import type { ReadinessCheck } from "./HttpOptions.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import type { OwnSessions } from "../sessions/ownSessions.ts"
import type { SessionCookie } from "../sessions/cookies.ts"
import type { Authenticate, ParleyRuntime } from "./HttpOptions.ts"
import type { FailedTries } from "./FailedTries.ts"
import type { PersonRequests, RequestTracker } from "./requests.ts"

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

/** Work that keeps the database and the event loop busy for milliseconds: reading long chats, and writing files. */
export type LargeWork = "read" | "write"

/** The settings of a server, and the parts that its requests share. */
export interface Server {
  readonly runtime: ParleyRuntime
  /** The address that people use; undefined if it is not configured. */
  readonly address: URL | undefined
  /** The origin of the routes for visitors; undefined if it is that of all routes. */
  readonly widgetOrigin: URL | undefined
  /** The origins, besides the server's own, whose pages may call it for the signed-in person. */
  readonly allowedOrigins: ReadonlySet<string>
  /** The host's own sign-in, called with the host's request; undefined if session tokens are used. */
  readonly authenticate: Authenticate<unknown> | undefined
  /** True if tokens count in `Authorization: Bearer` too. */
  readonly bearerTokens: boolean
  readonly bodies: BodyIntake
  /** The digest of the secret of schedules; without it no schedule may call. */
  readonly cronDigest: Buffer | undefined
  /** The sign-in with an e-mail address only; undefined if it is off. */
  readonly developmentSessions: DevelopmentSessions | undefined
  /** The sessions of the sign-in by e-mail; undefined if it is off. */
  readonly emailSignIn: OwnSessions | undefined
  /** Returns the OpenAPI document of the served routes, created on first use. */
  readonly document: () => OpenApiDocument
  /** One queue for each kind of large work: a few people at a time, each with one of it. */
  readonly largeWork: Readonly<Record<LargeWork, FairQueue>>
  readonly personRequests: PersonRequests
  /** Checks that all dependencies of the server answer, at most once a second, and looks at the background work. */
  readonly ready: Effect.Effect<ReadonlyArray<ReadinessCheck>, NotReady>
  /** The failed tries of credentials. */
  readonly failedTries: FailedTries
  /** Counts running requests, for an orderly stop. */
  readonly requests: RequestTracker | undefined
  readonly sessionCookie: SessionCookie
  readonly sessions: SessionVerifier["Service"]
  /** The address to which people are led after signing out; undefined if they stay. */
  readonly signOutUrl: string | undefined
  /** Longest time in which the reader of a stream reads nothing before the connection is closed. */
  readonly stalledReaderMs: number
  /** The longest time since the sign-in of an operator who writes. */
  readonly stepUpSeconds: number
  /** Detects requests through a proxy whose forwarding headers are not trusted. */
  readonly untrustedProxy: UntrustedProxy
}

export interface UntrustedProxy {
  isSeen: boolean
  /** Takes note of one; the first is logged. */
  readonly see: () => void
}
