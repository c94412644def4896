import type { Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { EndTurnInput } from "../ChatStore.ts"

/** How a reply is kept that goes on without its reader: it is delivered to the store. */
export interface KeptReply {
  /** The tokens of what is stored of it so far: what is charged should this process die. */
  readonly tokens: () => number
  /** Stores what it became. */
  readonly end: (input: EndTurnInput) => Effect.Effect<void, StorageFailed>
}
