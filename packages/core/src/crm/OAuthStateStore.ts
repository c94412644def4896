import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

export interface SpentState {
  readonly owner: UserId
  /** The SHA-256 of the state, in hexadecimal. */
  readonly digest: string
  /** Unix milliseconds: the state is not valid after this time, so the record may be deleted then. */
  readonly expiresAt: number
}

/**
 * Records the used states of authorization requests, for all server processes together, so that each state is used only
 * once.
 */
export class OAuthStateStore extends Context.Service<
  OAuthStateStore,
  {
    /**
     * Uses up a state: returns true only for the first of all callers, even if they are concurrent. Also deletes
     * records that have expired.
     */
    spend(state: SpentState): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/crm/OAuthStateStore") {}
