import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A person whose access an operator ended. All times are in Unix milliseconds, by the storage's clock. */
export interface AccessRecord {
  /** The SHA-256 of the user id, in hexadecimal: it stays after the person is erased. */
  readonly person: string
  /** Tokens that were issued earlier are refused; undefined if none are. */
  readonly notBefore: number | undefined
  /** When the person was blocked; undefined if the person is not blocked. */
  readonly blockedAt: number | undefined
}

/** A change of a person's access. */
export type AccessChange = "block" | "unblock" | "sign-out"

/** The people whose access was changed since a time. */
export interface AccessSince {
  readonly people: ReadonlyArray<AccessRecord>
  /** The time from which to ask next, in Unix milliseconds by the storage's clock; some records may come twice. */
  readonly asOf: number
}

/**
 * Stores whose access operators ended, for all server processes together. An erasure writes a record as well, in its own
 * transaction: it refuses the person's older tokens, keeps a block, and does not contain the id.
 */
export class AccessStore extends Context.Service<
  AccessStore,
  {
    /**
     * Changes a person's access, within its unit of work if there is one, and returns the record. A second block keeps
     * the time of the first one; signing out again moves `notBefore`.
     */
    change(input: {
      readonly userId: UserId
      readonly change: AccessChange
    }): Effect.Effect<AccessRecord, StorageFailed>
    /** The record of a person; undefined if the access was never ended. */
    find(userId: UserId): Effect.Effect<AccessRecord | undefined, StorageFailed>
    /** Like `find`, and an erasure of the person waits until the unit of work ends, as this call waits for an erasure. */
    lock(userId: UserId): Effect.Effect<AccessRecord | undefined, StorageFailed>
    /** All records that changed since a moment, or all. */
    since(moment: number | undefined): Effect.Effect<AccessSince, StorageFailed>
  }
>()("@parley/core/sessions/AccessStore") {}
