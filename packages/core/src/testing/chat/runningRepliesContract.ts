import { Effect, type Layer } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { type BeginTurnInput, ChatStore } from "../../chat/ChatStore.ts"
import { RunningReplies } from "../../chat/running/RunningReplies.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Stores = ChatStore | RunningReplies

const MODEL = "model-a-mini"
const LONG = 60_000
/** No time at all: who wrote this counts as dead at once. */
const DEAD = 0

const nameOf = ({ owner, chatId, reply }: BeginTurnInput) => ({ owner, chatId, replyId: reply.id })

/** A turn whose reply has begun. */
const begun = Effect.fnUntraced(function* (turn: BeginTurnInput = newTurn(newUserId())) {
  yield* (yield* ChatStore).beginTurn(turn)
  return nameOf(turn)
})

type Name = ReturnType<typeof nameOf>

const write = (reply: Name, start: number, text: string, ttlMs = LONG) =>
  RunningReplies.use((replies) => replies.write({ ...reply, model: MODEL, start, text, ttlMs }))
const read = (reply: Name, from = 0) => RunningReplies.use((replies) => replies.read({ ...reply, from }))
const messageOf = ({ replyId, ...chat }: Name) =>
  ChatStore.use((chats) =>
    Effect.map(chats.transcript({ ...chat, limit: 10 }), (found) => found?.messages.find(({ id }) => id === replyId))
  )

const writing = (run: Run<Stores>) => {
  it("what is written is read from any place on, by any reader, until the reply has ended", () =>
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

  it("a write that is repeated adds nothing, and one that would leave a gap says how much there is", () =>
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

  it("whatever pieces a reply is written in, and wherever it is read, what is read fits together", () =>
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
              yield* RunningReplies.use((all) => all.end({ ...reply, content: `${written}.`, state: "complete" }))
              const rest = yield* read(reply, seen.length)
              expect(rest).toMatchObject({ _tag: "Ended", state: "complete" })
              expect(seen + rest.text).toBe(`${written}.`)
            }).pipe(Effect.provide(context), Effect.runPromise)
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: 10 }))
      })
    ))

  it("nothing is written where there is no such chat, or not of this owner", () =>
    run(
      Effect.gen(function* () {
        const nowhere = nameOf(newTurn(newUserId()))
        expect(yield* write(nowhere, 0, "Hello")).toBeUndefined()
        const reply = yield* begun()
        const foreign = { ...reply, owner: { person: newUserId() } }
        expect(yield* write(foreign, 0, "Hello")).toBeUndefined()
        yield* write(reply, 0, "Hello")
        expect(yield* read(foreign)).toEqual({ _tag: "Lost", text: "" })
        const replies = yield* RunningReplies
        expect(yield* replies.find(foreign)).toBeUndefined()
        expect(yield* replies.askToStop(foreign)).toBe(false)
        yield* replies.end({ ...foreign, content: "Mine", state: "complete" })
        yield* replies.forget(foreign)
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
        yield* replies.end({ ...reply, content: "Hello", state: "stopped" })
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello", state: "stopped" })
      })
    ))
}

const ending = (run: Run<Stores>) => {
  it("an end stores the message, forgets the rest, counts its bytes once, and may be repeated", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const replies = yield* RunningReplies
        const reply = yield* begun()
        const before = yield* chats.usage(reply.owner)
        yield* write(reply, 0, "Hello")
        const end = { ...reply, content: "Hello there.", state: "complete" } as const
        yield* replies.end(end)
        yield* replies.end(end)
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
        expect(yield* replies.find(reply)).toBeUndefined()
        expect(yield* read(reply, 5)).toEqual({ _tag: "Ended", model: MODEL, text: " there.", state: "complete" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(12)
        yield* replies.end({ ...reply, content: "Other", state: "failed" })
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
      })
    ))

  it("a reply that came to nothing is forgotten", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        const replies = yield* RunningReplies
        yield* write(reply, 0, "")
        yield* replies.forget(reply)
        yield* replies.forget(reply)
        expect(yield* replies.find(reply)).toBeUndefined()
        expect(yield* read(reply)).toEqual({ _tag: "Lost", text: "" })
      })
    ))

  it("the reply of a chat that was deleted is gone, and cannot be written any more", () =>
    run(
      Effect.gen(function* () {
        const reply = yield* begun()
        yield* write(reply, 0, "Hello")
        yield* (yield* ChatStore).remove(reply.owner, reply.chatId)
        expect(yield* write(reply, 5, " there")).toBeUndefined()
        expect(yield* read(reply)).toEqual({ _tag: "Lost", text: "" })
        expect(yield* (yield* RunningReplies).find(reply)).toBeUndefined()
      })
    ))

  it("the reply that runs is found, the one begun last where there are several, or the one that is named", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const first = yield* begun()
        expect(yield* replies.find(first)).toBeUndefined()
        yield* write(first, 0, "Hello")
        const second = { ...first, replyId: crypto.randomUUID() }
        yield* Effect.sleep("2 millis")
        yield* write(second, 0, "")
        expect(yield* replies.find({ owner: first.owner, chatId: first.chatId.toUpperCase() })).toEqual({
          messageId: second.replyId,
          model: MODEL,
          startedAt: expect.any(Number)
        })
        expect(yield* replies.find(first)).toMatchObject({ messageId: first.replyId })
        yield* replies.forget(second)
        expect(yield* replies.find({ owner: first.owner, chatId: first.chatId })).toMatchObject({
          messageId: first.replyId
        })
        expect(yield* replies.find({ owner: first.owner, chatId: "nonsense'" })).toBeUndefined()
      })
    ))

  it("who writes a reply is told that it shall stop", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const reply = yield* begun()
        expect(yield* replies.askToStop(reply)).toBe(false)
        yield* write(reply, 0, "Hello")
        expect(yield* replies.askToStop(reply)).toBe(true)
        expect(yield* write(reply, 5, " there")).toEqual({ length: 11, stopAsked: true })
        expect(yield* replies.askToStop({ ...reply, chatId: "nonsense'" })).toBe(false)
      })
    ))
}

const dying = (run: Run<Stores>) => {
  it("a reply that nobody writes any more does not run, and what there is of it can be read", () =>
    run(
      Effect.gen(function* () {
        const replies = yield* RunningReplies
        const reply = yield* begun()
        yield* write(reply, 0, "Hello", DEAD)
        expect(yield* replies.find(reply)).toBeUndefined()
        expect(yield* replies.askToStop(reply)).toBe(false)
        expect(yield* read(reply, 1)).toEqual({ _tag: "Lost", text: "ello" })
        expect(yield* write(reply, 5, " there")).toEqual({ length: 11, stopAsked: false })
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello there" })
      })
    ))

  it("a sweep keeps what was written of dead replies as failed messages, and leaves the living alone", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const replies = yield* RunningReplies
        const [dead, living] = [yield* begun(), yield* begun()]
        const unborn = { ...dead, replyId: crypto.randomUUID() }
        const before = yield* chats.usage(dead.owner)
        yield* write(dead, 0, "Hel")
        yield* write(dead, 3, "lo", DEAD)
        yield* write(unborn, 0, "", DEAD)
        yield* write(living, 0, "Hello")
        while ((yield* replies.sweep({ limit: 10 })) > 0);
        expect(yield* messageOf(dead)).toMatchObject({ content: "Hello", state: "failed" })
        expect((yield* chats.usage(dead.owner)) - before).toBe(5)
        expect(yield* read(dead, 2)).toEqual({ _tag: "Ended", model: MODEL, text: "llo", state: "failed" })
        expect(yield* read(unborn)).toEqual({ _tag: "Lost", text: "" })
        expect(yield* messageOf(living)).toMatchObject({ content: "", state: "streaming" })
        expect(yield* read(living)).toMatchObject({ _tag: "Running", text: "Hello" })
      })
    ))

  it("a reply that was swept while its process lived is written anew, and ends as it ends", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const replies = yield* RunningReplies
        const reply = yield* begun()
        const before = yield* chats.usage(reply.owner)
        yield* write(reply, 0, "Hello", DEAD)
        while ((yield* replies.sweep({ limit: 10 })) > 0);
        expect(yield* write(reply, 5, " there")).toMatchObject({ length: 0 })
        expect(yield* write(reply, 0, "Hello there")).toMatchObject({ length: 11 })
        expect(yield* read(reply)).toMatchObject({ _tag: "Running", text: "Hello there" })
        yield* replies.end({ ...reply, content: "Hello there.", state: "complete" })
        expect(yield* messageOf(reply)).toMatchObject({ content: "Hello there.", state: "complete" })
        expect((yield* chats.usage(reply.owner)) - before).toBe(12)
      })
    ))
}

/** The guarantees of every `RunningReplies`, beside the `ChatStore` it belongs to. Each test uses people of its own. */
export const runningRepliesContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`RunningReplies: ${name}`, layer, (run) => {
    writing(run)
    ending(run)
    dying(run)
  })
