import { Effect } from "effect"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { expect, it } from "vitest"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { RunningReplies } from "../../chat/reply/RunningReplies.ts"
import { reserve, settle } from "../../credits/rules/decideHold.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import type { Run } from "../suiteOn.ts"
import {
  balanceOf,
  beat,
  begun,
  DEAD,
  holdOf,
  LONG,
  messageOf,
  MODEL,
  read,
  settled,
  sweepAll,
  write,
  type Stores
} from "./runningReplies.ts"

export const beating = (run: Run<Stores>) => {
  it("one call renews the holds of many replies, and answers for each in order", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const [one, other] = [yield* begun(), yield* begun()]
        const gone = { userId: holdOf(one).userId, key: "reply:none", outputTokens: 1 }
        const hold = { ...holdOf(one), outputTokens: 5 }
        const answers = yield* replies.write({
          beats: [
            { hold: gone },
            { hold, reply: { ...one, model: MODEL, joinable: true, start: 0, text: "Hello" } },
            { hold: { ...holdOf(other), outputTokens: 0 } }
          ],
          ttlMs: LONG
        })
        expect(answers).toMatchObject([
          { isHoldGone: true, length: undefined },
          { isHoldGone: false, length: 5 },
          { isHoldGone: false, length: undefined }
        ])
        expect(yield* read(one)).toMatchObject({ text: "Hello" })
        expect(yield* replies.write({ beats: [], ttlMs: LONG })).toEqual([])
      })
    ))

  it("tokens are recorded with the text that they count, or not at all", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun(undefined, { ttlMs: DEAD })
        yield* beat(reply, 0, "Hello", { ttlMs: DEAD, outputTokens: 1 })
        yield* beat(reply, 70, "a gap", { ttlMs: DEAD, outputTokens: 20_000 })
        yield* sweepAll
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello", state: "failed" })
        const charged = yield* (yield* testedLedger).transaction(holdOf(reply).userId, holdOf(reply).key)
        expect(charged?.receipt).toMatchObject({ ended: "expired", usage: { output: 1 } })
      })
    ))
}

export const dying = (run: Run<Stores>) => {
  it("a reply that is not written in time does not run, and its text can be read", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const ledger = yield* testedLedger
        const reply = yield* begun(undefined, { ttlMs: DEAD })
        yield* write(reply, 0, "Hello", DEAD)
        const from = yield* ledger.now
        while ((yield* ledger.now) <= from + DEAD) yield* Effect.yieldNow
        expect(yield* replies.find(reply)).toBeUndefined()
        expect(yield* replies.askToStop(reply)).toBe(false)
        expect(yield* read(reply, 1)).toEqual({ _tag: "Lost", text: "ello" })
        expect(yield* write(reply, 5, " there")).toEqual({ length: 11, stopAsked: false })
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello there" })
      })
    ))

  it("a sweep ends the hold and the message of a dead reply with exactly its stored text, and leaves the living alone", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const [dead, living] = [yield* begun(undefined, { ttlMs: DEAD }), yield* begun()]
        const silent = yield* begun(undefined, { joinable: false, ttlMs: DEAD })
        const before = yield* chats.usage(dead.owner)
        yield* write(dead, 0, "Hel", DEAD)
        yield* beat(dead, 3, "lo", { ttlMs: DEAD, outputTokens: 2 })
        yield* write(living, 0, "Hello")
        yield* sweepAll
        expect(yield* messageOf(dead)).toMatchObject({ content: "Hello", state: "failed" })
        expect((yield* chats.usage(dead.owner)) - before).toBe(5)
        expect(yield* read(dead, 2)).toEqual({ _tag: "Ended", model: MODEL, text: "llo", state: "failed" })
        const ledger = yield* testedLedger
        const charged = yield* ledger.transaction(holdOf(dead).userId, holdOf(dead).key)
        expect(charged?.receipt).toMatchObject({ ended: "expired", usage: { output: 3 } })
        expect(yield* messageOf(silent)).toMatchObject({ content: "", state: "failed" })
        expect(yield* balanceOf(silent)).toMatchObject({ allowance: 100, heldAllowance: 0 })
        expect(yield* messageOf(living)).toMatchObject({ content: "", state: "streaming" })
        expect(yield* read(living)).toMatchObject({ _tag: "Running", text: "Hello" })
      })
    ))

  it("a reply that was swept while its process lived is written again under another hold, and ends normally", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const ledger = yield* testedLedger
        const replies = yield* RunningReplies
        const reply = yield* begun(undefined, { ttlMs: DEAD })
        const before = yield* chats.usage(reply.owner)
        yield* write(reply, 0, "Hello", DEAD)
        yield* sweepAll
        expect(yield* beat(reply, 5, " there")).toMatchObject({ isHoldGone: true })
        const { userId } = holdOf(reply)
        const rest = { userId, key: `${holdOf(reply).key}:rest:1` }
        yield* ledger.run(reserve(reservation(userId, rest.key, 20), crypto.randomUUID()))
        const written = (start: number, text: string) =>
          replies.write({
            beats: [
              { hold: { ...rest, outputTokens: 3 }, reply: { ...reply, model: MODEL, joinable: true, start, text } }
            ],
            ttlMs: LONG
          })
        expect(yield* written(5, " there")).toMatchObject([{ length: 0 }])
        expect(yield* written(0, "Hello there")).toMatchObject([{ length: 11 }])
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello there" })
        const companion = settled(reply, 0, { content: "Hello there.", state: "complete" }).companion
        yield* ledger.run({ ...settle({ ...rest, amount: 2, draft: receiptDraft }), companion })
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(12)
      })
    ))

  it("a reply that is swept twice keeps the text that both sweeps charged, and never less than before", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const ledger = yield* CreditLedger
        const replies = yield* RunningReplies
        const reply = yield* begun(undefined, { ttlMs: DEAD })
        const before = yield* chats.usage(reply.owner)
        yield* write(reply, 0, "Hello", DEAD)
        yield* sweepAll
        const { key, userId } = holdOf(reply)
        const sweepAgain = (rest: string, text: string) =>
          Effect.gen(function* () {
            const hold = { userId, key: `${key}:rest:${rest}`, outputTokens: text.length }
            const asked = reservation(userId, hold.key, 20, { ttlMs: DEAD })
            yield* ledger.run(reserve(asked, crypto.randomUUID()))
            const beats = [{ hold, reply: { ...reply, model: MODEL, joinable: true, start: 0, text } }]
            yield* replies.write({ beats, ttlMs: DEAD })
            yield* sweepAll
          })
        yield* sweepAgain("1", "Hello there")
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there", state: "failed" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(11)
        yield* sweepAgain("2", "Hello")
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there", state: "failed" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(11)
        expect(yield* replies.find(reply)).toBeUndefined()
      })
    ))
}
