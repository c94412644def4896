import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ServiceKey, ServiceScope } from "./ServiceKey.ts"

/** A key to store. */
export interface NewServiceKey {
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<ServiceScope>
  /** The SHA-256 of the key's text, in hexadecimal. */
  readonly digest: string
  /** Unix milliseconds; undefined if the key does not expire. */
  readonly expiresAt: number | undefined
}

/** A key with the digests of its texts that count now. */
export interface FoundServiceKey extends ServiceKey {
  /** The SHA-256 of each text, in hexadecimal: the current one, and during an overlap the one before. */
  readonly digests: ReadonlyArray<string>
}

export interface RotateServiceKey {
  readonly id: string
  /** The SHA-256 of the new text, in hexadecimal. */
  readonly digest: string
  /** Time for which the text before still counts, in milliseconds. */
  readonly overlapMs: number
}

/** Time between two recorded uses of a key, at least. Milliseconds. */
export const NOTE_USE_EVERY_MS = 60_000

/**
 * Stores the keys of services for all server processes together, as digests only. Expiry and overlaps go by the
 * storage's clock. Keys belong to no person: an erasure changes none.
 */
export class ServiceKeyStore extends Context.Service<
  ServiceKeyStore,
  {
    /** Stores a key, within its unit of work if there is one. */
    insert(key: NewServiceKey): Effect.Effect<ServiceKey, StorageFailed>
    find(id: string): Effect.Effect<FoundServiceKey | undefined, StorageFailed>
    /** All keys, the newest first. */
    readonly list: Effect.Effect<ReadonlyArray<ServiceKey>, StorageFailed>
    /**
     * Replaces the text of an active key; the text before the replaced one ends at once. Undefined, and no change, if
     * there is no active key with this id.
     */
    rotate(input: RotateServiceKey): Effect.Effect<ServiceKey | undefined, StorageFailed>
    /** Revokes a key, with all its texts. A second call keeps the time of the first. Undefined if there is no such key. */
    revoke(id: string): Effect.Effect<ServiceKey | undefined, StorageFailed>
    /** Records that a key is used, unless a use of the last minute is recorded (`NOTE_USE_EVERY_MS`). */
    noteUse(id: string): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/keys/ServiceKeyStore") {}
