import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A person whose access an operator ended. All times are in Unix milliseconds, by the storage's clock. */
export interface AccessRecord {
  /** The SHA-256 of the user id, in hexadecimal; the record stays after the person was erased. */
  readonly person: string
  /** Tokens that were issued before this time are refused; undefined if there is no such time. */
  readonly notBefore: number | undefined
  /** The time at which the person was blocked; undefined if the person is not blocked. */
  readonly blockedAt: number | undefined
}

/** A change of a person's access. */
export type AccessChange = "block" | "unblock" | "sign-out"

/** The records that were changed since a time. */
export interface AccessSince {
  readonly people: ReadonlyArray<AccessRecord>
  /**
   * The time to pass to the next call, in Unix milliseconds by the storage's clock; some records may be returned twice.
   */
  readonly asOf: number
}

/**
 * Stores the people whose access operators ended, for all server processes together. An erasure also writes a record,
 * in its own transaction: it refuses the person's older tokens, keeps a block, and does not contain the id.
 */
export class AccessStore extends Context.Service<
  AccessStore,
  {
    /**
     * Changes a person's access, as part of the unit of work if there is one, and returns the record. A second block
     * does not change the time of the first; a further sign-out moves `notBefore`.
     */
    change(input: {
      readonly userId: UserId
      readonly change: AccessChange
    }): Effect.Effect<AccessRecord, StorageFailed>
    /** Returns the record of a person; undefined if the access was never ended. */
    find(userId: UserId): Effect.Effect<AccessRecord | undefined, StorageFailed>
    /**
     * Returns the same as `find`, and locks the person until the unit of work ends: an erasure of the person and this
     * call wait for each other.
     */
    lock(userId: UserId): Effect.Effect<AccessRecord | undefined, StorageFailed>
    /** Returns all records that changed since a time, or all records. */
    since(moment: number | undefined): Effect.Effect<AccessSince, StorageFailed>
  }
>()("@parley/core/sessions/AccessStore") {}
