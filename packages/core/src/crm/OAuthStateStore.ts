import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

export interface SpentState {
  readonly owner: UserId
  /** The SHA-256 of the state, in hexadecimal. */
  readonly digest: string
  /** Unix milliseconds: from then on the state counts no more anyway, and this may be forgotten. */
  readonly expiresAt: number
}

/** Keeps which states of authorization requests were used, for all server processes together, so that each is used once. */
export class OAuthStateStore extends Context.Service<
  OAuthStateStore,
  {
    /** Uses a state up: true for the first of all that try, however many at once. Forgets, in time, those that have expired. */
    spend(state: SpentState): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/crm/OAuthStateStore") {}
