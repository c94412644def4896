import { Effect } from "effect"
import { type BeginTurnInput, ChatStore } from "../../chat/store/ChatStore.ts"

/**
 * Begins turns one after another, each at a moment of its own: chats are ordered by their last use, which a store may know
 * to the millisecond alone, and two of one millisecond by their ids.
 */
export const beginInOrder = (turns: ReadonlyArray<BeginTurnInput>) =>
  Effect.gen(function* () {
    const chats = yield* ChatStore
    for (const turn of turns) {
      yield* chats.beginTurn(turn)
      yield* Effect.sleep("2 millis")
    }
  })
