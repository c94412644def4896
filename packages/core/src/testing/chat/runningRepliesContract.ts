import { Effect, type Layer } from "effect"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import fc from "fast-check"
import { expect, it } from "vitest"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { RunningReplies } from "../../chat/reply/RunningReplies.ts"
import { release, settle } from "../../credits/rules/decideHold.ts"
import { receiptDraft } from "../credits/creditFixtures.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import { endTurn } from "./endTurn.ts"
import {
  balanceOf,
  beat,
  begun,
  held,
  holdOf,
  messageOf,
  MODEL,
  nameOf,
  read,
  settled,
  write,
  type Stores
} from "./runningReplies.ts"
import { beating, dying } from "./dyingReplies.ts"

const writing = (run: Run<Stores>) => {
  it("the text is read from any offset on, by any reader, until the reply has ended", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        expect(yield* write(reply, 0, "Hello ")).toEqual({ length: 6, stopAsked: false })
        expect(yield* write(reply, 6, "")).toEqual({ length: 6, stopAsked: false })
        expect(yield* write(reply, 6, "th\u{1F431}e\0")).toEqual({ length: 12, stopAsked: false })
        const running = { _tag: "Running", model: MODEL }
        expect(yield* read(reply)).toEqual({ ...running, text: "Hello th\u{1F431}e\uFFFD" })
        expect(yield* read({ ...reply, replyId: reply.replyId.toUpperCase() }, 6)).toEqual({
          ...running,
          text: "th\u{1F431}e\uFFFD"
        })
        expect(yield* read(reply, 12)).toEqual({ ...running, text: "" })
      })
    ))

  it("a repeated write adds nothing, and one that would leave a gap returns the stored length", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        yield* write(reply, 0, "one ")
        expect(yield* write(reply, 0, "one ")).toMatchObject({ length: 4 })
        yield* write(reply, 4, "two ")
        expect(yield* write(reply, 4, "two ")).toMatchObject({ length: 8 })
        expect(yield* write(reply, 20, "gap")).toMatchObject({ length: 8 })
        expect(yield* read(reply)).toMatchObject({ text: "one two " })
        const other = yield* begun()
        expect(yield* write(other, 20, "gap")).toMatchObject({ length: 0 })
        expect(yield* read(other)).toMatchObject({ text: "" })
      })
    ))

  it("in any pieces a reply is written, and from any offset it is read, the parts fit together", () =>
    run(
      Effect.gen(function* () {
        const context = yield* Effect.context<Stores>()
        const property = fc.asyncProperty(
          fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 5 }), fc.boolean()), { maxLength: 8 }),
          (pieces) =>
            Effect.gen(function* () {
              const reply = yield* begun()
              let written = ""
              let seen = ""
              for (const [piece, reads] of pieces) {
                const { length } = (yield* write(reply, written.length, piece)) ?? { length: -1 }
                written += piece.replaceAll("\0", "\uFFFD").toWellFormed()
                expect(length).toBe(written.length)
                if (reads) seen += (yield* read(reply, seen.length)).text
              }
              yield* endTurn({ ...reply, content: `${written}.`, state: "complete" })
              const rest = yield* read(reply, seen.length)
              expect(rest).toMatchObject({ _tag: "Ended", state: "complete" })
              expect(seen + rest.text).toBe(`${written}.`)
            }).pipe(Effect.provide(context), Effect.runPromise)
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: 10 }))
      })
    ))

  it("nothing is written if there is no such chat, or it belongs to another owner", () =>
    run(
      Effect.gen(function* () {
        const turn = newTurn(newUserId())
        yield* held(turn)
        expect(yield* beat(nameOf(turn), 0, "Hello")).toMatchObject({ isHoldGone: false, isChatGone: true })
        const reply = yield* begun()
        const foreign = { ...reply, owner: { person: newUserId() } }
        expect(yield* beat(foreign, 0, "Hello")).toMatchObject({ isHoldGone: true, length: undefined })
        yield* held({
          owner: foreign.owner,
          reply: newTurn(newUserId(), { reply: { id: reply.replyId, model: MODEL, sources: [] } }).reply
        })
        expect(yield* beat(foreign, 0, "Hello")).toMatchObject({ isChatGone: true, length: undefined })
        yield* write(reply, 0, "Hello")
        expect(yield* read(foreign)).toEqual({ _tag: "Lost", text: "" })
        const replies = yield* RunningReplies
        expect(yield* replies.find(foreign)).toBeUndefined()
        expect(yield* replies.askToStop(foreign)).toBe(false)
        yield* endTurn({ ...foreign, content: "Mine", state: "complete" })
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello" })
        expect(yield* messageOf(reply)).toMatchObject({ content: "", state: "streaming" })
      })
    ))

  it("a visitor's reply is written, and read by the visitor and the bot's owner alone", () =>
    run(
      Effect.gen(function* () {
        const visitor = newVisitor(newUserId())
        const reply = yield* begun(newTurn(visitor))
        yield* write(reply, 0, "Hello")
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello" })
        expect(yield* read({ ...reply, owner: { person: visitor.botOwner } })).toMatchObject({ _tag: "Lost" })
        const replies = yield* RunningReplies
        expect(yield* replies.askToStop(reply)).toBe(true)
        yield* endTurn({ ...reply, content: "Hello", state: "stopped" })
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello", state: "stopped" })
      })
    ))
}

const ending = (run: Run<Stores>) => {
  it("an end stores the message and its charge, deletes the record, counts its bytes once, and may be repeated", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const ledger = yield* testedLedger
        const reply = yield* begun()
        const before = yield* chats.usage(reply.owner)
        yield* write(reply, 0, "Hello")
        const end = settled(reply, 7, { content: "Hello there.", state: "complete" })
        const first = yield* ledger.run(end)
        expect(yield* ledger.run(end)).toEqual(first)
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
        expect(yield* balanceOf(reply)).toMatchObject({ allowance: 93, heldAllowance: 0 })
        expect(yield* (yield* RunningReplies).find(reply)).toBeUndefined()
        expect(yield* read(reply, 5)).toEqual({ _tag: "Ended", model: MODEL, text: " there.", state: "complete" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(12)
        yield* ledger.run(settled(reply, 9, { content: "Other", state: "failed" }))
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
        expect(yield* balanceOf(reply)).toMatchObject({ allowance: 93 })
      })
    ))

  it("an end that is refused leaves the message as it is", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const reply = yield* begun()
        const wrong = { ...settle({ ...holdOf(reply), key: "reply:none", amount: 7, draft: receiptDraft }) }
        const { companion } = settled(reply, 7, { content: "Hello", state: "complete" })
        expect((yield* Effect.flip(ledger.run({ ...wrong, companion })))._tag).toBe("HoldNotFound")
        expect(yield* messageOf(reply)).toMatchObject({ content: "", state: "streaming" })
        expect(yield* (yield* RunningReplies).find(reply)).toBeDefined()
      })
    ))

  it("an end begins the turn if that was never stored, once", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const turn = newTurn(newUserId())
        yield* held(turn)
        const reply = nameOf(turn)
        const end = settled(reply, 7, { content: "Hello", state: "complete", begin: turn })
        yield* ledger.run(end)
        yield* ledger.run(end)
        const found = yield* (yield* ChatStore).transcript({ ...turn, limit: 10 })
        expect(found?.messages.map(({ content, state }) => [content, state])).toEqual([
          [turn.messages[0]?.content, "complete"],
          ["Hello", "complete"]
        ])
        const late = settled(reply, 7, { content: "Hello", state: "complete", begin: { ...turn, continues: true } })
        yield* (yield* ChatStore).remove(turn.owner, turn.chatId)
        yield* ledger.run(late)
        expect(yield* (yield* ChatStore).transcript({ ...turn, limit: 10 })).toBeUndefined()
      })
    ))

  it("an end that begins the turn while that is still being begun stores it once", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const ledger = yield* CreditLedger
        const race = Effect.gen(function* () {
          const turn = newTurn(newUserId())
          const hold = yield* held(turn)
          const reply = nameOf(turn)
          const end = settled(reply, 7, { content: "Hello", state: "complete", begin: turn })
          const begin = chats.beginTurn({ ...turn, running: { hold, joinable: true, ttlMs: 60_000 } })
          yield* Effect.all([begin, ledger.run(end), begin], { concurrency: "unbounded" })
          const found = yield* chats.transcript({ ...turn, limit: 10 })
          expect(found?.messages.map(({ content, state }) => [content, state])).toEqual([
            [turn.messages[0]?.content, "complete"],
            ["Hello", "complete"]
          ])
          expect(yield* balanceOf(reply)).toMatchObject({ allowance: 93, heldAllowance: 0 })
          expect(yield* (yield* RunningReplies).find(reply)).toBeUndefined()
        })
        yield* Effect.forEach(
          Array.from({ length: 30 }, () => race),
          (each) => each,
          { concurrency: 5, discard: true }
        )
      })
    ))

  it("ends of many people at once are each stored with their own charge", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const replies = yield* Effect.forEach(Array.from({ length: 20 }), () => begun(), { concurrency: 5 })
        yield* Effect.forEach(
          replies,
          (reply, index) => ledger.run(settled(reply, index + 1, { content: `Reply ${index}`, state: "complete" })),
          { concurrency: "unbounded" }
        )
        for (const [index, reply] of replies.entries()) {
          expect(yield* messageOf(reply)).toMatchObject({ content: `Reply ${index}`, state: "complete" })
          expect(yield* balanceOf(reply)).toMatchObject({ allowance: 99 - index, heldAllowance: 0 })
        }
      })
    ))

  it("the record of a reply without text is deleted with its hold", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        const { companion } = settled(reply, 0, { content: "", state: "failed" })
        const unborn = { ...reply, replyId: crypto.randomUUID() }
        yield* held({ owner: reply.owner, reply: { id: unborn.replyId, model: MODEL, sources: [] } })
        yield* write(unborn, 0, "")
        const released = { ...release(holdOf(unborn)), companion: { ...companion, ...unborn } }
        yield* (yield* CreditLedger).run(released)
        expect(yield* (yield* RunningReplies).find(unborn)).toBeUndefined()
        expect(yield* (yield* RunningReplies).find(reply)).toBeDefined()
        expect(yield* read(unborn)).toEqual({ _tag: "Lost", text: "" })
        expect(yield* messageOf(unborn)).toBeUndefined()
      })
    ))

  it("the reply of a chat that was deleted is gone, and cannot be written any more", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        yield* write(reply, 0, "Hello")
        yield* (yield* ChatStore).remove(reply.owner, reply.chatId)
        expect(yield* beat(reply, 5, " there")).toMatchObject({ isChatGone: true, isHoldGone: false })
        expect(yield* read(reply)).toEqual({ _tag: "Lost", text: "" })
        expect(yield* (yield* RunningReplies).find(reply)).toBeUndefined()
        yield* (yield* CreditLedger).run(settled(reply, 7, { content: "Hello there", state: "complete" }))
        expect(yield* balanceOf(reply)).toMatchObject({ allowance: 93, heldAllowance: 0 })
      })
    ))

  it("the reply that may be joined is found, the one begun last if there are several, or the one that is named", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const first = yield* begun()
        const again = (joinable: boolean) =>
          begun(newTurn(first.owner, { chatId: first.chatId, continues: true }), { joinable })
        yield* Effect.sleep("2 millis")
        const second = yield* again(true)
        yield* Effect.sleep("2 millis")
        const silent = yield* again(false)
        expect(yield* replies.find({ owner: first.owner, chatId: first.chatId.toUpperCase() })).toEqual({
          messageId: second.replyId,
          model: MODEL,
          startedAt: expect.any(Number)
        })
        expect(yield* replies.find(first)).toMatchObject({ messageId: first.replyId })
        expect(yield* replies.find(silent)).toBeUndefined()
        yield* (yield* CreditLedger).run(settled(second, 1, { content: "Hello", state: "complete" }))
        expect(yield* replies.find({ owner: first.owner, chatId: first.chatId })).toMatchObject({
          messageId: first.replyId
        })
        expect(yield* replies.find({ owner: first.owner, chatId: "nonsense'" })).toBeUndefined()
      })
    ))

  it("the writer of a reply learns that it shall stop", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const silent = yield* begun(undefined, { joinable: false })
        expect(yield* replies.askToStop(silent)).toBe(false)
        const reply = yield* begun()
        yield* write(reply, 0, "Hello")
        expect(yield* replies.askToStop(reply)).toBe(true)
        expect(yield* write(reply, 5, " there")).toEqual({ length: 11, stopAsked: true })
        expect(yield* replies.askToStop({ ...reply, chatId: "nonsense'" })).toBe(false)
      })
    ))

  it("the writers of all replies of a person and of the person's bots learn that they shall stop, and no others", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const visitor = newVisitor(newUserId())
        const person = visitor.botOwner
        const theirs = [yield* begun(newTurn(person), { joinable: false }), yield* begun(newTurn(visitor))]
        const other = yield* begun()
        yield* replies.askAllToStop(person)
        for (const reply of theirs) expect(yield* write(reply, 0, "Hello")).toMatchObject({ stopAsked: true })
        expect(yield* write(other, 0, "Hello")).toMatchObject({ stopAsked: false })
      })
    ))
}

/**
 * Tests the guarantees of a `RunningReplies`, with the stores of the same adapter. Each test uses people of its own.
 * `layer` is built once, for all tests.
 */
export const runningRepliesContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`RunningReplies: ${name}`, layer, (run) => {
    writing(run)
    ending(run)
    beating(run)
    dying(run)
  })
