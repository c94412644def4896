import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { type BeginTurnInput, type Branch, ChatStore, type TranscriptInput } from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId } from "../storage/storageFixtures.ts"
import type { Run } from "../suiteOn.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"

const RUNS = 8

const said = (content: string) => [{ role: "user" as const, content }]

const isDefined = <A>(value: A | undefined): value is A => value !== undefined

/** Stores a turn after `parentId`; returns the ids of its question and of its reply. */
const tell = Effect.fnUntraced(function* (
  first: BeginTurnInput,
  content: string,
  parentId: string | null | undefined,
  messages: BeginTurnInput["messages"] = said(content)
) {
  const chats = yield* ChatStore
  const reply = { ...first.reply, id: crypto.randomUUID() }
  const turn = { ...first, continues: true, messages, reply, parentId }
  yield* chats.beginTurn(turn)
  yield* endTurn({ ...turn, replyId: reply.id, content: `reply to ${content}`, state: "complete" })
  const found = yield* chats.transcript({ ...turn, branch: { upTo: reply.id }, limit: 2 })
  return { question: found?.messages.at(-2)?.id ?? "", reply: found?.messages.at(-1)?.id ?? "" }
})

/** Stores a chat with one turn. */
const begun = Effect.gen(function* () {
  const chats = yield* ChatStore
  const first = newTurn(newUserId(), { messages: said("a"), parentId: null })
  yield* chats.beginTurn(first)
  yield* endTurn({ ...first, replyId: first.reply.id, content: "reply to a", state: "complete" })
  const question = (yield* chats.transcript({ ...first, limit: 2 }))?.messages[0]?.id ?? ""
  return { first, question, reply: first.reply.id }
})

const contents = Effect.fnUntraced(function* ({ chatId, owner }: BeginTurnInput, more: Partial<TranscriptInput> = {}) {
  const chats = yield* ChatStore
  const found = yield* chats.transcript({ owner, chatId, limit: 100, ...more })
  return found?.messages.map(({ content }) => content).join(" | ")
})

const reading = (run: Run<ChatStores>) => {
  it("a turn after an older message begins a branch: both branches stay, and the newest is the one stored last", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const { first, reply } = yield* begun
        const b = yield* tell(first, "b", reply)
        const c = yield* tell(first, "c", reply.toUpperCase())
        expect(yield* contents(first)).toBe("a | reply to a | c | reply to c")
        const older = { through: b.question.toUpperCase() }
        expect(yield* contents(first, { branch: older })).toBe("a | reply to a | b | reply to b")
        const found = yield* chats.transcript({ ...first, branch: older, limit: 10 })
        expect(found?.messages.map(({ parentId, versions }) => ({ parentId, versions }))).toEqual([
          { parentId: null, versions: [] },
          { parentId: found?.messages[0]?.id, versions: [] },
          { parentId: reply, versions: [b.question, c.question] },
          { parentId: b.question, versions: [] }
        ])
        const d = yield* tell(first, "d", b.reply)
        expect(yield* contents(first)).toBe("a | reply to a | b | reply to b | d | reply to d")
        expect(yield* contents(first, { branch: { through: c.question } })).toBe("a | reply to a | c | reply to c")
        expect(yield* contents(first, { before: d.question })).toBe("a | reply to a | b | reply to b")
      })
    ))

  it("a turn without new messages is another version of a reply", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const { first, question, reply } = yield* begun
        const { reply: again } = yield* tell(first, "a again", question, [])
        const found = yield* chats.transcript({ ...first, limit: 10 })
        expect(found?.messages).toMatchObject([
          { id: question, versions: [] },
          { id: again, content: "reply to a again", parentId: question, versions: [reply, again] }
        ])
      })
    ))

  it("a turn after no message is another beginning of the chat, with its own earlier messages", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const { first, question } = yield* begun
        const b = yield* tell(first, "b", null)
        const c = yield* tell(first, "c", b.reply)
        const page = yield* chats.transcript({ ...first, limit: 3 })
        expect(page).toMatchObject({
          hasEarlier: true,
          messages: [{ id: b.reply }, { id: c.question }, { id: c.reply }]
        })
        const before = yield* chats.transcript({ ...first, limit: 3, before: b.reply })
        expect(before).toMatchObject({
          hasEarlier: false,
          messages: [{ id: b.question, parentId: null, versions: [question, b.question] }]
        })
        expect(yield* contents(first, { before: b.question })).toBe("")
      })
    ))

  it("a turn that names no parent follows the newest message of all, and one whose parent is missing stores nothing", () =>
    run(
      Effect.gen(function* () {
        const { first, question } = yield* begun
        yield* tell(first, "b", question, [])
        yield* tell(first, "c", undefined)
        expect(yield* contents(first)).toBe("a | reply to b | c | reply to c")
        const other = yield* begun
        for (const parentId of [crypto.randomUUID(), other.reply]) yield* tell(first, "d", parentId)
        expect(yield* contents(first, { branch: "all" })).toBe("a | reply to a | reply to b | c | reply to c")
      })
    ))

  it("nothing is in the branch of a message that the chat does not have", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const { first } = yield* begun
        const other = yield* begun
        for (const id of [other.reply, crypto.randomUUID(), "nonsense'"]) {
          for (const branch of [{ upTo: id }, { through: id }]) {
            const found = yield* chats.transcript({ ...first, branch, limit: 10 })
            expect(found).toMatchObject({ chat: { id: first.chatId }, messages: [], hasEarlier: false })
          }
        }
        expect(yield* contents(first, { branch: "all", before: other.reply })).toBe("")
      })
    ))

  it("turns after one message at the same moment are all kept, each a version", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const { first, reply } = yield* begun
        const turns = Array.from({ length: 8 }, (_, index) => tell(first, `q${index}`, reply))
        const told = yield* Effect.all(turns, { concurrency: "unbounded" })
        const newest = yield* chats.transcript({ ...first, limit: 10 })
        const [, , question] = newest?.messages ?? []
        expect(question?.versions.toSorted()).toEqual(told.map((each) => each.question).toSorted())
        for (const [index, each] of told.entries()) {
          const branch = { through: each.question }
          expect(yield* contents(first, { branch })).toBe(`a | reply to a | q${index} | reply to q${index}`)
        }
      })
    ))
}

/** A message of the expected tree: its position in the list is the order in which it was stored. */
interface Planned {
  readonly id: string
  readonly parentId: string | null
}

const lineTo = (all: ReadonlyArray<Planned>, id: string | null | undefined): ReadonlyArray<string> => {
  const found = all.find((each) => each.id === id)
  return found === undefined ? [] : [...lineTo(all, found.parentId), found.id]
}

const newestUnder = (all: ReadonlyArray<Planned>, id: string): string =>
  all.map((each) => each.id).findLast((each) => lineTo(all, each).includes(id)) ?? ""

const versionsOf = (all: ReadonlyArray<Planned>, id: string): ReadonlyArray<string> => {
  const parent = all.find((each) => each.id === id)?.parentId
  const same = all.filter(({ parentId }) => parentId === parent).map((each) => each.id)
  return same.length < 2 ? [] : same
}

/** Stores turns after parents that `picks` selects; returns all messages in the order in which they were stored. */
const grow = Effect.fnUntraced(function* (first: BeginTurnInput, begin: ReadonlyArray<Planned>, picks: Picks) {
  const all = [...begin]
  for (const { at, isReplyOnly } of picks) {
    const parent = at === -1 ? undefined : all[at % (all.length + 1)]
    const parentId = at === -1 ? all.at(-1)?.id : (parent?.id ?? null)
    const messages = isReplyOnly && parentId !== null ? [] : said(String(all.length))
    const { question, reply } = yield* tell(first, String(all.length), at === -1 ? undefined : parentId, messages)
    const follows = messages.length === 0 ? (parentId ?? null) : question
    if (messages.length > 0) all.push({ id: question, parentId: parentId ?? null })
    all.push({ id: reply, parentId: follows })
  }
  return all
})
type Picks = ReadonlyArray<{ readonly at: number; readonly isReplyOnly: boolean }>

/** Reads a branch page by page; returns each message with its parent and its versions. */
const paged = Effect.fnUntraced(function* (first: BeginTurnInput, branch: Branch | undefined, limit: number) {
  const chats = yield* ChatStore
  const pages: Array<ReadonlyArray<Planned & { readonly versions: ReadonlyArray<string> }>> = []
  let before: string | undefined
  do {
    const page = yield* chats.transcript({ ...first, branch, limit, before })
    pages.unshift((page?.messages ?? []).map(({ id, parentId, versions }) => ({ id, parentId, versions })))
    before = page?.hasEarlier === true ? page.messages[0]?.id : undefined
  } while (before !== undefined)
  return pages.flat()
})

const anyTree = (run: Run<ChatStores>) => {
  const picks = fc.array(fc.record({ at: fc.integer({ min: -1, max: 60 }), isReplyOnly: fc.boolean() }), {
    minLength: 1,
    maxLength: 10
  })
  it(
    "whatever turns follow whatever messages, every branch is read as it was stored, in pages of any length",
    () =>
      fc.assert(
        fc.asyncProperty(picks, fc.integer({ min: 1, max: 7 }), (chosen, limit) =>
          run(
            Effect.gen(function* () {
              const { first, question, reply } = yield* begun
              const begin = [
                { id: question, parentId: null },
                { id: reply, parentId: question }
              ]
              const all = yield* grow(first, begin, chosen)
              const expected = (line: ReadonlyArray<string>) =>
                line
                  .map((id) => all.find((each) => each.id === id))
                  .filter(isDefined)
                  .map((each) => ({ ...each, versions: versionsOf(all, each.id) }))
              const ids = all.map(({ id }) => id)
              expect(yield* paged(first, undefined, limit)).toEqual(expected(lineTo(all, ids.at(-1))))
              expect(yield* paged(first, "all", limit)).toEqual(all.map((each) => ({ ...each, versions: [] })))
              for (const id of ids) {
                expect(yield* paged(first, { upTo: id }, limit)).toEqual(expected(lineTo(all, id)))
                expect(yield* paged(first, { through: id }, limit)).toEqual(expected(lineTo(all, newestUnder(all, id))))
              }
            })
          )
        ),
        { numRuns: RUNS }
      ),
    60_000
  )
}

/** Tests the guarantees about a chat as a tree. */
export const branches = (run: Run<ChatStores>): void => {
  reading(run)
  anyTree(run)
}
