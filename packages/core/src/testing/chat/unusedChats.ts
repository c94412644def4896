import { Effect } from "effect"
import { expect, it } from "vitest"
import { type BeginTurnInput, ChatRecords, ChatStore, type RemoveUnusedInput } from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"
import { beginInOrder } from "./beginInOrder.ts"
import type { Run } from "../suiteOn.ts"

const isStored = ({ chatId, owner }: BeginTurnInput) =>
  ChatStore.use((chats) => Effect.map(chats.transcript({ owner, chatId, limit: 1 }), (found) => found !== undefined))

const DAY_MS = 86_400_000

/** Makes a chat look as if it had not been used for this many more milliseconds. */
export type Age<R> = (turn: BeginTurnInput, ms: number) => Effect.Effect<void, unknown, R>

/** Deletes all chats that were not used for a day; returns the number of calls that deleted some. */
const removeAll = (whose: RemoveUnusedInput["whose"]) =>
  Effect.gen(function* () {
    const records = yield* ChatRecords
    let calls = 0
    while ((yield* records.removeUnused({ whose, unusedForMs: DAY_MS, limit: 1_000 })) > 0) calls += 1
    return calls
  })

/** Tests the guarantees of a `ChatStore` for the retention of chats. */
export const unusedChats = <R>(run: Run<ChatStores | R>, age: Age<R>) => {
  const begin = Effect.fnUntraced(function* (turns: ReadonlyArray<BeginTurnInput>, days: ReadonlyArray<number>) {
    yield* beginInOrder(turns)
    for (const [index, turn] of turns.entries()) yield* age(turn, (days[index] ?? 0) * DAY_MS)
  })

  it("a chat is deleted if it is without use for longer than the given time, and stays otherwise", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const [old, continued, recent] = [newTurn(userId), newTurn(userId), newTurn(userId)]
        const again = newTurn(userId, { chatId: continued.chatId, continues: true })
        yield* begin([old, continued, recent], [1.1, 1.1, 0.9])
        yield* beginInOrder([again])
        yield* removeAll("people")
        expect(yield* Effect.forEach([old, continued, recent], isStored)).toEqual([false, true, true])
        const found = yield* ChatStore.use((chats) => chats.transcript({ ...continued, limit: 10 }))
        expect(found?.messages).toHaveLength(4)
      })
    ))

  it("people's chats and visitors' conversations are deleted separately", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const userId = newUserId()
        const [own, visitors] = [newTurn(userId), newTurn(newVisitor(userId))]
        yield* begin([own, visitors], [2, 2])
        yield* removeAll("visitors")
        expect(yield* Effect.forEach([own, visitors], isStored)).toEqual([true, false])
        expect(yield* chats.usage(visitors.owner)).toBe(0)
        yield* removeAll("people")
        expect(yield* isStored(own)).toBe(false)
        expect(yield* chats.usage(own.owner)).toBe(0)
      })
    ))

  it("a chat with a reply that runs is not deleted before the reply has ended", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const userId = newUserId()
        const turn = newTurn(userId)
        const running = { hold: { userId, key: "reply:1" }, joinable: false, ttlMs: 60_000 }
        yield* chats.beginTurn({ ...turn, running })
        yield* age(turn, 2 * DAY_MS)
        yield* removeAll("people")
        expect(yield* isStored(turn)).toBe(true)
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: "It grew.", state: "complete" })
        yield* removeAll("people")
        expect(yield* isStored(turn)).toBe(false)
      })
    ))

  it("one call deletes few messages, those without use for longest, and at least one chat", () =>
    run(
      Effect.gen(function* () {
        const records = yield* ChatRecords
        yield* removeAll("people")
        const turns = Array.from({ length: 5 }, () => newTurn(newUserId()))
        yield* begin(turns, [6, 5, 4, 3, 2])
        const remove = (limit: number) => records.removeUnused({ whose: "people", unusedForMs: DAY_MS, limit })
        const left = Effect.map(Effect.forEach(turns, isStored), (stored) => stored.filter(Boolean).length)
        expect([yield* remove(1), yield* left]).toEqual([1, 4])
        expect(yield* isStored(turns[0] as BeginTurnInput)).toBe(false)
        expect([yield* remove(5), yield* left]).toEqual([2, 2])
        expect([yield* remove(5), yield* left]).toEqual([2, 0])
      })
    ))

  it("calls at the same moment delete each chat once", () =>
    run(
      Effect.gen(function* () {
        const records = yield* ChatRecords
        yield* removeAll("people")
        const turns = Array.from({ length: 30 }, () => newTurn(newUserId()))
        for (const turn of turns) {
          yield* ChatStore.use((chats) => chats.beginTurn(turn))
          yield* age(turn, 2 * DAY_MS)
        }
        const sweep = Effect.gen(function* () {
          let total = 0
          for (;;) {
            const removed = yield* records.removeUnused({ whose: "people", unusedForMs: DAY_MS, limit: 4 })
            if (removed === 0) return total
            total += removed
          }
        })
        const totals = yield* Effect.all(
          Array.from({ length: 4 }, () => sweep),
          { concurrency: "unbounded" }
        )
        expect(totals.reduce((sum, total) => sum + total, 0)).toBe(turns.length)
        expect((yield* Effect.forEach(turns, isStored)).some(Boolean)).toBe(false)
      })
    ))

  it("reading a chat to continue it changes nothing of a chat in use, and finds none that was deleted", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        yield* chats.beginTurn(turn)
        const before = yield* chats.transcript({ ...turn, limit: 10 })
        expect(yield* chats.transcript({ ...turn, limit: 10, toContinue: true })).toEqual(before)
        expect(yield* chats.transcript({ ...turn, limit: 10 })).toEqual(before)
        yield* chats.remove(turn.owner, turn.chatId)
        expect(yield* chats.transcript({ ...turn, limit: 10, toContinue: true })).toBeUndefined()
      })
    ))
}
