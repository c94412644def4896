import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A session that was signed out. */
export interface RevokedSession {
  /** The SHA-256 of its token, in hexadecimal. */
  readonly digest: string
  /** Unix milliseconds: when the token expires, and this may be forgotten. */
  readonly expiresAt: number
}

/** The sessions that were revoked since a time. */
export interface RevokedSince {
  readonly sessions: ReadonlyArray<RevokedSession>
  /** From when to ask next, in Unix milliseconds by the storage's clock, to miss none; some may come twice. */
  readonly asOf: number
}

/** Keeps which sessions were signed out before they expired, for all server processes together. */
export class RevokedSessions extends Context.Service<
  RevokedSessions,
  {
    /** Keeps a session until it expires; the same again changes nothing. Forgets those that have expired. */
    revoke(session: RevokedSession): Effect.Effect<void, StorageFailed>
    /** All that were revoked since a moment, or ever, and have not expired. */
    since(moment: number | undefined): Effect.Effect<RevokedSince, StorageFailed>
  }
>()("@parley/core/sessions/RevokedSessions") {}
