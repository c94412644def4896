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

/** A key with the digests of its valid texts. */
export interface FoundServiceKey extends ServiceKey {
  /** The SHA-256 of each valid text, in hexadecimal: the present one and, after a rotation, the previous one. */
  readonly digests: ReadonlyArray<string>
}

export interface RotateServiceKey {
  readonly id: string
  /** The SHA-256 of the new text, in hexadecimal. */
  readonly digest: string
  /** Milliseconds for which the previous text stays valid. */
  readonly overlapMs: number
}

/** The minimum number of milliseconds between two recorded uses of a key. */
export const NOTE_USE_EVERY_MS = 60_000

/**
 * Stores the service keys for all server processes together, as digests only. Expiry and overlaps are measured by the
 * storage's clock. Keys belong to no person: an erasure does not change them.
 */
export class ServiceKeyStore extends Context.Service<
  ServiceKeyStore,
  {
    /** Stores a key, as part of the unit of work if there is one. */
    insert(key: NewServiceKey): Effect.Effect<ServiceKey, StorageFailed>
    find(id: string): Effect.Effect<FoundServiceKey | undefined, StorageFailed>
    /** All keys, the newest first. */
    readonly list: Effect.Effect<ReadonlyArray<ServiceKey>, StorageFailed>
    /**
     * Replaces the text of an active key; the text before the replaced one becomes invalid at once. Returns undefined,
     * without a change, if there is no active key with this id.
     */
    rotate(input: RotateServiceKey): Effect.Effect<ServiceKey | undefined, StorageFailed>
    /**
     * Revokes a key with all its texts. A second call does not change the time of the first. Returns undefined if there
     * is no such key.
     */
    revoke(id: string): Effect.Effect<ServiceKey | undefined, StorageFailed>
    /** Records that a key was used, unless a use within the last minute is recorded (`NOTE_USE_EVERY_MS`). */
    noteUse(id: string): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/keys/ServiceKeyStore") {}
