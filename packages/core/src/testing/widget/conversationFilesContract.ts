import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { type AttachFileInput, ConversationFiles, type FilesOf } from "../../chat/store/ConversationFiles.ts"
import { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import type { VisitorChat } from "../../chat/store/Handovers.ts"
import type { Document } from "../../documents/Document.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { ampleQuota, newDocument, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Parts = ConversationFiles | ChatRecords | ChatStore | DocumentStore | UnitOfWork

const newChat = (owner = newVisitor(newUserId())): VisitorChat => ({ owner, chatId: crypto.randomUUID() })

/** Inserts a document and attaches it in one unit of work, which fails if the document is not attached. */
const attach = (chat: VisitorChat, changes: Partial<AttachFileInput> = {}, ofDocument: Partial<Document> = {}) =>
  Effect.gen(function* () {
    const files = yield* ConversationFiles
    const documents = yield* DocumentStore
    const unitOfWork = yield* UnitOfWork
    const { botOwner } = chat.owner
    const document = newDocument(botOwner, { filename: "receipt.pdf", ...ofDocument })
    const work = Effect.gen(function* () {
      yield* documents.insert(document, ampleQuota)
      const input = { ...chat, continues: false, document, maxFiles: 5, quota: ampleQuota, ...changes }
      const attached = yield* files.attach(input)
      return attached === "Attached" ? document : yield* Effect.fail(attached)
    })
    return yield* Effect.result(unitOfWork.run(botOwner, work))
  })

const attached = (...given: Parameters<typeof attach>) =>
  Effect.map(attach(...given), (result) => {
    if (result._tag === "Failure") throw new Error(String(result.failure))
    return result.success
  })

const refusal = (...given: Parameters<typeof attach>) =>
  Effect.map(attach(...given), (result) => (result._tag === "Failure" ? result.failure : "Attached"))

const namesIn = (chat: VisitorChat) =>
  Effect.map(
    ConversationFiles.use((files) => files.list(chat)),
    (all) => all.map(({ filename }) => filename)
  )

const belongings = (run: Run<Parts>) => {
  it("a file belongs to one conversation of one visitor, and its document names that", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const chat = newChat()
        const { bot, botOwner, visitor } = chat.owner
        const { id } = yield* attached(chat)
        yield* attached(chat, { continues: true }, { filename: "second.pdf", createdAt: 1_767_225_600_001 })
        expect(yield* namesIn(chat)).toEqual(["receipt.pdf", "second.pdf"])
        const [found] = yield* documents.find(botOwner, [id])
        expect(found?.conversation).toEqual({ bot, visitor, id: chat.chatId })
        for (const other of [
          newChat(chat.owner),
          { ...chat, owner: newVisitor(botOwner, bot) },
          { ...chat, owner: { ...chat.owner, bot: newVisitor(botOwner).bot } },
          { ...chat, owner: { ...chat.owner, botOwner: newUserId() } },
          { ...chat, chatId: "no-id" }
        ]) {
          expect(yield* namesIn(other)).toEqual([])
        }
        const own = newDocument(botOwner)
        yield* documents.insert(own, ampleQuota)
        const [ownFound] = yield* documents.find(botOwner, [own.id])
        expect(ownFound?.conversation).toBeUndefined()
      })
    ))

  it("a conversation may begin with a file, whose name is its title; its files are its documents", () =>
    run(
      Effect.gen(function* () {
        const chat = newChat()
        const { id } = yield* attached(chat)
        const found = yield* (yield* ChatStore).transcript({ ...chat, limit: 5 })
        expect(found).toMatchObject({ chat: { title: "receipt.pdf" }, messages: [], documentIds: [id] })
      })
    ))

  it("a deleted conversation does not come back, and leaves no document behind", () =>
    run(
      Effect.gen(function* () {
        const chat = newChat()
        expect(yield* refusal(chat, { continues: true })).toBe("NoConversation")
        expect(yield* (yield* DocumentStore).list(chat.owner.botOwner)).toEqual([])
        expect(yield* (yield* ChatStore).transcript({ ...chat, limit: 5 })).toBeUndefined()
      })
    ))
}

const bounds = (run: Run<Parts>) => {
  it("a conversation has at most so many files, however many arrive at once", () =>
    run(
      Effect.gen(function* () {
        const chat = newChat()
        yield* attached(chat)
        const each = Array.from({ length: 6 }, () => refusal(chat, { continues: true, maxFiles: 3 }))
        const results = yield* Effect.all(each, { concurrency: "unbounded" })
        expect(results.filter((result) => result === "Attached")).toHaveLength(2)
        expect(results.filter((result) => result === "TooMany")).toHaveLength(4)
        expect(yield* namesIn(chat)).toHaveLength(3)
        expect(yield* (yield* DocumentStore).list(chat.owner.botOwner)).toHaveLength(3)
      })
    ))

  it("the files of all visitors of an owner are bounded together, in number and bytes; own documents do not count", () =>
    run(
      Effect.gen(function* () {
        const owner = newUserId()
        yield* (yield* DocumentStore).insert(newDocument(owner, { bytes: 5_000 }), ampleQuota)
        yield* attached(newChat(newVisitor(owner)), {}, { bytes: 100 })
        const tight = { maxDocuments: 2, maxDocumentBytes: 200 }
        expect(yield* refusal(newChat(newVisitor(owner)), { quota: tight }, { bytes: 101 })).toBe("Full")
        expect(yield* refusal(newChat(newVisitor(owner)), { quota: tight }, { bytes: 100 })).toBe("Attached")
        expect(yield* refusal(newChat(newVisitor(owner)), { quota: tight }, { bytes: 0 })).toBe("Full")
        expect(yield* refusal(newChat(), { quota: tight }, { bytes: 100 })).toBe("Attached")
      })
    ))

  it("the files of all visitors together stay within the bound, however many conversations begin at once", () =>
    run(
      Effect.gen(function* () {
        const owner = newUserId()
        const quota = { maxDocuments: 3, maxDocumentBytes: 1_000 }
        const each = Array.from({ length: 8 }, () => refusal(newChat(newVisitor(owner)), { quota }, { bytes: 100 }))
        const results = yield* Effect.all(each, { concurrency: "unbounded" })
        expect(results.filter((result) => result === "Attached")).toHaveLength(3)
        expect(results.filter((result) => result === "Full")).toHaveLength(5)
        expect(yield* (yield* DocumentStore).list(owner)).toHaveLength(3)
      })
    ))
}

const removals = (run: Run<Parts>) => {
  it("a file is removed with its conversation, with all conversations of its bot, and with unused ones", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const documents = yield* DocumentStore
        const visitor = newVisitor(newUserId())
        const { bot, botOwner } = visitor
        const kept = newChat(newVisitor(botOwner))
        yield* attached(kept)
        const remaining = Effect.map(documents.list(botOwner), (all) => all.map(({ conversation }) => conversation?.id))
        const first = newChat(visitor)
        yield* attached(first)
        expect(yield* chats.remove(visitor, first.chatId)).toBe(true)
        expect(yield* remaining).toEqual([kept.chatId])
        yield* attached(newChat(visitor))
        yield* records.removeOfBot(botOwner, bot)
        expect(yield* remaining).toEqual([kept.chatId])
        yield* Effect.sleep("5 millis")
        for (let removed = 1; removed > 0;) {
          removed = yield* records.removeUnused({ whose: "visitors", unusedForMs: 0, limit: 1_000 })
        }
        expect(yield* remaining).toEqual([])
      })
    ))

  it("files are deleted one after another: of a conversation, of a bot, or of unused ones; the others stay", () =>
    run(
      Effect.gen(function* () {
        const files = yield* ConversationFiles
        const documents = yield* DocumentStore
        const visitor = newVisitor(newUserId())
        const { bot, botOwner } = visitor
        const [first, second, other] = [newChat(visitor), newChat(visitor), newChat(newVisitor(botOwner))]
        const foreign = newChat(newVisitor(newUserId(), bot))
        for (const chat of [first, first, second, other, foreign]) {
          yield* attached(chat, { continues: (yield* namesIn(chat)).length > 0 })
        }
        const own = newDocument(botOwner)
        yield* documents.insert(own, ampleQuota)
        const left = Effect.map(
          documents.list(botOwner),
          (all) => new Set(all.map(({ conversation }) => conversation?.id))
        )
        const removeAll = (of: FilesOf) => Effect.repeat(files.removeOne(of), { while: (removed) => removed })
        expect(yield* files.removeOne(first)).toBe(true)
        expect(yield* namesIn(first)).toHaveLength(1)
        yield* removeAll(first)
        expect(yield* left).toEqual(new Set([second.chatId, other.chatId, undefined]))
        for (const none of [
          { ...second, owner: foreign.owner },
          { ...second, chatId: "no-id" }
        ]) {
          expect(yield* files.removeOne(none)).toBe(false)
        }
        yield* removeAll({ botOwner, bot })
        expect(yield* left).toEqual(new Set([other.chatId, undefined]))
        expect(yield* namesIn(foreign)).toHaveLength(1)
        yield* removeAll({ unusedForMs: 60_000 })
        expect(yield* namesIn(other)).toHaveLength(1)
        yield* Effect.sleep("5 millis")
        yield* removeAll({ unusedForMs: 0 })
        expect(yield* left).toEqual(new Set([undefined]))
        expect(yield* (yield* ChatStore).transcript({ ...other, limit: 5 })).toBeDefined()
      })
    ))

  it("removing the document leaves its conversation", () =>
    run(
      Effect.gen(function* () {
        const chat = newChat()
        const { id } = yield* attached(chat)
        expect(yield* (yield* DocumentStore).remove(chat.owner.botOwner, id)).toBe(true)
        expect(yield* namesIn(chat)).toEqual([])
        expect(yield* (yield* ChatStore).transcript({ ...chat, limit: 5 })).toBeDefined()
      })
    ))

  it("a removed document makes room for another one in its conversation", () =>
    run(
      Effect.gen(function* () {
        const chat = newChat()
        const { id } = yield* attached(chat)
        expect(yield* refusal(chat, { continues: true, maxFiles: 1 })).toBe("TooMany")
        yield* (yield* DocumentStore).remove(chat.owner.botOwner, id)
        const second = yield* attached(chat, { continues: true, maxFiles: 1 }, { filename: "second.pdf" })
        expect(yield* namesIn(chat)).toEqual(["second.pdf"])
        expect(yield* (yield* ChatStore).transcript({ ...chat, limit: 5 })).toMatchObject({ documentIds: [second.id] })
      })
    ))
}

/** Tests the guarantees of a `ConversationFiles`. The layer is built once, and its stores share one storage. */
export const conversationFilesContract = (name: string, layer: Layer.Layer<Parts, unknown>): void =>
  suiteOn(`ConversationFiles, ${name}`, layer, (run) => {
    belongings(run)
    bounds(run)
    removals(run)
  })
