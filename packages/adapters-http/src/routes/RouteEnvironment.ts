import type { SessionVerifier } from "@parley/core"
import type { BodyMemory } from "../body/BodyMemory.ts"
import type { JsonThread } from "../body/JsonThread.ts"
import type { BodyPace } from "../body/watchArrival.ts"
import type { PersonRequests } from "../server/PersonRequests.ts"
import type { LargeWork, PersonTurns } from "../server/PersonTurns.ts"
import type { CronSecret } from "../security/CronSecret.ts"
import type { RefusalLog } from "../security/RefusalLog.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import type { SessionCookie } from "../sessions/sessionCookie.ts"

/** What routes know of the server they run in. */
export interface RouteEnvironment {
  readonly sessions: SessionVerifier["Service"]
  readonly cookie: SessionCookie
  /** Where people reach the server; undefined where it was not told. */
  readonly baseUrl: URL | undefined
  /** What schedules prove themselves with; undefined where they may not call. */
  readonly cronSecret: CronSecret | undefined
  /** Present where development sign-in is on. */
  readonly developmentSessions: DevelopmentSessions | undefined
  /** Resolves once everything the server depends on answers, and rejects where something does not, or in time. */
  readonly ready: () => Promise<void>
  /** The OpenAPI document of the routes served. */
  readonly openApi: unknown
  /** Where refused requests are told of. */
  readonly refusals: RefusalLog
  /** How long a reader of a stream may take nothing before the connection is given up. */
  readonly stalledReaderMs: number
  /** What bodies may keep in memory together. */
  readonly bodyMemory: { readonly json: BodyMemory; readonly uploads: BodyMemory }
  /** Parses what is large. */
  readonly jsonThread: JsonThread
  /** The least throughput of a body. */
  readonly bodyPace: BodyPace
  /** Keep large work of each kind from holding up everything else. */
  readonly turns: Readonly<Record<LargeWork, PersonTurns>>
  /** Counts the requests of each person. */
  readonly personRequests: PersonRequests
}
