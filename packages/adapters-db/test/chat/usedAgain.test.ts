import { ChatStore, type ConversationOwner, ownerKey, USED_AGAIN_MS } from "@parley/core/adapter"
import { newTurn, newUserId, newVisitor, suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

/** The milliseconds since a chat was used. */
const unusedFor = (owner: ConversationOwner, ageMs: number, toContinue: boolean) =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const chats = yield* ChatStore
    const turn = newTurn(owner)
    yield* chats.beginTurn(turn)
    yield* statement(
      `UPDATE ${schema}.chats SET updated_at = now() - $1 * interval '1 millisecond' WHERE user_id = $2 AND id = $3`,
      [ageMs, ownerKey(owner).userId, turn.chatId]
    )
    const found = yield* chats.transcript({ ...turn, limit: 10, toContinue })
    expect(found?.messages).toHaveLength(2)
    const after = yield* chats.transcript({ ...turn, limit: 10 })
    return Date.now() - (after?.chat.updatedAt ?? 0)
  })

for (const { name, layer } of databases) {
  suiteOn(`a chat read to be continued: ${name}`, Layer.provideMerge(PgChatStoreLayer, layer), (run) => {
    it.each([
      ["a person's chat", { person: newUserId() }],
      ["a visitor's conversation", newVisitor(newUserId())]
    ])("%s counts as used, if it was not used for long", (_what, owner) =>
      run(
        Effect.gen(function* () {
          expect(yield* unusedFor(owner, USED_AGAIN_MS + 60_000, true)).toBeLessThan(60_000)
          expect(yield* unusedFor(owner, USED_AGAIN_MS + 60_000, false)).toBeGreaterThan(USED_AGAIN_MS)
          expect(yield* unusedFor(owner, USED_AGAIN_MS - 60_000, true)).toBeGreaterThan(USED_AGAIN_MS - 120_000)
        })
      )
    )
  })
}
