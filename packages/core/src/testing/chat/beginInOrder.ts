import { Effect } from "effect"
import { type BeginTurnInput, ChatStore } from "../../chat/store/ChatStore.ts"

/**
 * Begins turns one after another, each at a different time. Chats are ordered by their last use; a store may know that
 * time only to the millisecond, and orders chats of the same millisecond by their ids.
 */
export const beginInOrder = (turns: ReadonlyArray<BeginTurnInput>) =>
  Effect.gen(function* () {
    const chats = yield* ChatStore
    for (const turn of turns) {
      yield* chats.beginTurn(turn)
      yield* Effect.sleep("2 millis")
    }
  })
