import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A session that was signed out. */
export interface RevokedSession {
  /** The SHA-256 of its token, in hexadecimal. */
  readonly digest: string
  /** Unix milliseconds: the token expires at this time, and the record may be deleted then. */
  readonly expiresAt: number
}

/** The sessions that were revoked since a time. */
export interface RevokedSince {
  readonly sessions: ReadonlyArray<RevokedSession>
  /**
   * The time to pass to the next call, in Unix milliseconds by the storage's clock, so that no session is missed; some
   * may be returned twice.
   */
  readonly asOf: number
}

/** Stores the sessions that were signed out before they expired, for all server processes together. */
export class RevokedSessions extends Context.Service<
  RevokedSessions,
  {
    /**
     * Stores a session until it expires; a second call with it changes nothing. Also deletes sessions that have
     * expired.
     */
    revoke(session: RevokedSession): Effect.Effect<void, StorageFailed>
    /** Returns the sessions that were revoked since a time, or all, if they have not expired. */
    since(moment: number | undefined): Effect.Effect<RevokedSince, StorageFailed>
  }
>()("@parley/core/sessions/RevokedSessions") {}
