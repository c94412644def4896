import { assert, describe, it } from "@effect/vitest"
import type { BotDraft } from "@parley/core"
import { JobWorker, makeInMemoryMalwareScanner, malwareTestText, MalwareScanner } from "@parley/core/adapter"
import {
  BotService,
  ChatService,
  ConversationService,
  DocumentService,
  ProjectService,
  type VisitorFileInput,
  WidgetService
} from "@parley/core/effect"
import { UserExport } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import { balance, says, scriptedModel, world } from "../chat/world.ts"

const OWNER = "owner"
const TAKES_FILES = { visitorUploads: true }

const newBot = (draft: Partial<BotDraft> = TAKES_FILES, owner = OWNER) =>
  Effect.map(
    BotService.use((bots) => bots.create(owner, { displayName: "Ada", ...draft })),
    (bot) => ({ ...bot, publicKey: bot.keys[0]?.publicKey ?? "" })
  )

const bytesOf = (text: string) => new TextEncoder().encode(text)

const attach = (publicKey: string, text: string, more: Partial<VisitorFileInput> = {}) =>
  WidgetService.use((widget) =>
    widget.attach({
      ...{ publicKey, visitorId: "visitor-1", address: "192.0.2.1", filename: "receipt.txt" },
      bytes: bytesOf(text),
      ...more
    })
  )

const say = (publicKey: string, message: string, more: { conversationId?: string; visitorId?: string } = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const widget = yield* WidgetService
      const { conversationId, text } = yield* widget.send({
        ...{ publicKey, visitorId: "visitor-1", message, address: "192.0.2.1" },
        ...more
      })
      yield* Stream.runDrain(text)
      return conversationId
    })
  )

const transcript = (publicKey: string, conversationId: string, visitorId = "visitor-1") =>
  WidgetService.use((widget) => widget.conversation({ address: "192.0.2.1", publicKey, visitorId, conversationId }))

/** Reads all files that wait, until none of this conversation is in work. */
const readFiles = (publicKey: string, conversationId: string, visitorId?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const work = Effect.andThen(
        JobWorker.use((worker) => worker.work),
        Effect.never
      )
      yield* Effect.forkScoped(Effect.scoped(work))
      for (;;) {
        const { files = [] } = yield* transcript(publicKey, conversationId, visitorId)
        if (files.every(({ status }) => status !== "processing")) return files
        yield* Effect.yieldNow
      }
    })
  )

const model = () => scriptedModel(() => says(["Hello"], { input: 5, output: 1 }))
const STORKS = "The storks nest on the old chimney of the brewery."
const QUESTION = "Where do the storks nest?"

const read = ({ requests }: ReturnType<typeof model>) => JSON.stringify(requests.at(-1)?.messages)

describe("a file of a visitor", () => {
  it.effect("is read by the replies of its conversation, beside the bot's documents, and by no other", () => {
    const scripted = model()
    return Effect.gen(function* () {
      const bot = yield* newBot()
      const other = yield* newBot()
      const { conversationId, file } = yield* attach(bot.publicKey, STORKS)
      assert.deepStrictEqual(file, { filename: "receipt.txt", status: "processing" })
      const files = yield* readFiles(bot.publicKey, conversationId)
      assert.deepStrictEqual(files, [{ filename: "receipt.txt", status: "ready" }])
      yield* say(bot.publicKey, QUESTION, { conversationId })
      assert.include(read(scripted), "chimney")
      // A new conversation of the same visitor, another visitor, another bot of the same owner, and the owner.
      yield* say(bot.publicKey, QUESTION)
      assert.notInclude(read(scripted), "chimney")
      yield* say(bot.publicKey, QUESTION, { visitorId: "visitor-2" })
      assert.notInclude(read(scripted), "chimney")
      yield* say(other.publicKey, QUESTION)
      assert.notInclude(read(scripted), "chimney")
      const chat = yield* ChatService
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { text } = yield* chat.send({
            parties: { payer: OWNER, documentsOwner: OWNER, conversationOwner: { person: OWNER }, source: "chat" },
            request: { messages: [{ role: "user", content: QUESTION }] }
          })
          yield* Stream.runDrain(text)
        })
      )
      assert.notInclude(read(scripted), "chimney")
    }).pipe(Effect.provide(world(scripted)))
  })

  it.effect("cannot be reached by another visitor, another bot or a guessed conversation", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const other = yield* newBot()
      const { conversationId } = yield* attach(bot.publicKey, STORKS)
      for (const [publicKey, visitorId] of [
        [bot.publicKey, "visitor-2"],
        [other.publicKey, "visitor-1"]
      ] as const) {
        const looked = yield* Effect.flip(transcript(publicKey, conversationId, visitorId))
        assert.strictEqual(looked._tag, "ConversationNotFound")
        const added = yield* Effect.flip(attach(publicKey, "More", { conversationId, visitorId }))
        assert.strictEqual(added._tag, "ConversationNotFound")
      }
      const guessed = yield* Effect.flip(attach(bot.publicKey, "More", { conversationId: crypto.randomUUID() }))
      assert.strictEqual(guessed._tag, "ConversationNotFound")
    }).pipe(Effect.provide(world(model())))
  )

  it.effect("is no document that its owner's chats, projects or bots can name, and not in the owner's list", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const { conversationId } = yield* attach(bot.publicKey, STORKS)
      const documents = yield* DocumentService
      assert.deepStrictEqual(yield* documents.list(OWNER), [])
      const opened = yield* (yield* ConversationService).get(OWNER, bot.id, conversationId)
      const [file] = opened.files
      assert.include(file, { filename: "receipt.txt", bytes: STORKS.length })
      const id = file?.id ?? ""
      // The owner can fetch and delete it.
      assert.strictEqual((yield* documents.get(OWNER, id)).filename, "receipt.txt")
      const { bytes } = yield* documents.file(OWNER, id)
      assert.strictEqual((yield* Stream.runCollect(bytes)).length, 1)
      const bots = yield* BotService
      const asBots = yield* Effect.flip(bots.update(OWNER, bot.id, { documentIds: [id] }))
      assert.strictEqual(asBots._tag, "DocumentNotFound")
      const asProjects = yield* Effect.flip((yield* ProjectService).create(OWNER, { name: "P", documentIds: [id] }))
      assert.strictEqual(asProjects._tag, "DocumentNotFound")
      const parties = {
        payer: OWNER,
        documentsOwner: OWNER,
        conversationOwner: { person: OWNER },
        source: "chat"
      } as const
      const request = { messages: [{ role: "user" as const, content: QUESTION }], documentIds: [id] }
      const asked = yield* Effect.flip(Effect.scoped((yield* ChatService).send({ parties, request })))
      assert.strictEqual(asked._tag, "DocumentNotFound")
      yield* documents.remove(OWNER, id)
      assert.deepStrictEqual((yield* transcript(bot.publicKey, conversationId)).files, [])
    }).pipe(Effect.provide(world(model())))
  )

  it.effect("goes with its conversation, and with its bot; it is in the owner's export, without the visitor", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const { conversationId } = yield* attach(bot.publicKey, STORKS)
      const second = yield* attach(bot.publicKey, STORKS)
      const exported = yield* Stream.runCollect((yield* UserExport).lines(OWNER, { by: "operator", reason: undefined }))
      const lines = exported.filter(({ kind }) => kind === "document").map(({ data }) => data)
      assert.deepStrictEqual(
        lines.map((data) => (data as { readonly conversation?: unknown }).conversation),
        [
          { botId: bot.id, id: second.conversationId },
          { botId: bot.id, id: conversationId }
        ]
      )
      const conversations = yield* ConversationService
      const documents = yield* DocumentService
      const idsOf = (id: string) =>
        Effect.map(conversations.get(OWNER, bot.id, id), ({ files }) => files.map((file) => file.id))
      const [first = ""] = yield* idsOf(conversationId)
      const [other = ""] = yield* idsOf(second.conversationId)
      yield* conversations.remove(OWNER, bot.id, conversationId)
      assert.strictEqual((yield* Effect.flip(documents.get(OWNER, first)))._tag, "DocumentNotFound")
      yield* documents.get(OWNER, other)
      yield* BotService.use((bots) => bots.remove(OWNER, bot.id))
      assert.strictEqual((yield* Effect.flip(documents.get(OWNER, other)))._tag, "DocumentNotFound")
    }).pipe(Effect.provide(world(model())))
  )

  it.effect("costs no credits, refused or stored", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const before = yield* balance(OWNER)
      yield* attach(bot.publicKey, STORKS)
      yield* Effect.flip(attach(bot.publicKey, "MZ\0\0", { filename: "program.exe" }))
      assert.deepStrictEqual(yield* balance(OWNER), before)
    }).pipe(Effect.provide(world(model())))
  )
})

describe("a visitor's file is refused", () => {
  it.effect("unless the owner allows files; those from before stay usable", () => {
    const scripted = model()
    return Effect.gen(function* () {
      const bot = yield* newBot({})
      assert.strictEqual((yield* Effect.flip(attach(bot.publicKey, STORKS)))._tag, "VisitorUploadsOff")
      const bots = yield* BotService
      yield* bots.update(OWNER, bot.id, { visitorUploads: true })
      const { conversationId } = yield* attach(bot.publicKey, STORKS)
      yield* readFiles(bot.publicKey, conversationId)
      yield* bots.update(OWNER, bot.id, { visitorUploads: false })
      const refused = yield* Effect.flip(attach(bot.publicKey, STORKS, { conversationId }))
      assert.strictEqual(refused._tag, "VisitorUploadsOff")
      yield* say(bot.publicKey, QUESTION, { conversationId })
      assert.include(read(scripted), "chimney")
      assert.strictEqual((yield* transcript(bot.publicKey, conversationId)).files?.length, 1)
    }).pipe(Effect.provide(world(scripted)))
  })

  it.effect("above 5 MB, of an unknown kind, and as the sixth of a conversation; nothing of it stays", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const large = yield* Effect.flip(attach(bot.publicKey, "", { bytes: new Uint8Array(5 * 1024 * 1024 + 1) }))
      assert.include(large, { _tag: "FileRejected", problem: "too-large" })
      const unknown = yield* Effect.flip(attach(bot.publicKey, "MZ\0\0", { filename: "program.exe" }))
      assert.strictEqual(unknown._tag, "FileRejected")
      const { conversationId } = yield* attach(bot.publicKey, "1")
      for (const text of ["2", "3", "4", "5"]) yield* attach(bot.publicKey, text, { conversationId })
      const sixth = yield* Effect.flip(attach(bot.publicKey, "6", { conversationId }))
      assert.deepInclude(sixth, { _tag: "TooManyConversationFiles", limit: 5 })
      assert.strictEqual((yield* transcript(bot.publicKey, conversationId)).files?.length, 5)
    }).pipe(Effect.provide(world(model())))
  )

  it.effect("after 20 files of an address in an hour, and never because of another address", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const reject = attach(bot.publicKey, "MZ\0\0", { filename: "program.exe" })
      for (let sent = 0; sent < 20; sent += 1) assert.strictEqual((yield* Effect.flip(reject))._tag, "FileRejected")
      const limited = yield* Effect.flip(reject)
      assert.strictEqual(limited._tag, "VisitorUploadsLimited")
      yield* attach(bot.publicKey, STORKS, { address: "192.0.2.2" })
    }).pipe(Effect.provide(world(model())))
  )

  it.effect("by the malware scanner, before anything is stored", () =>
    Effect.gen(function* () {
      const bot = yield* newBot()
      const refused = yield* Effect.flip(attach(bot.publicKey, malwareTestText()))
      assert.include(refused, { _tag: "FileRejected", problem: "malware" })
      assert.deepStrictEqual(
        (yield* ConversationService.use((all) => all.find(OWNER, bot.id, { limit: 5 }))).conversations,
        []
      )
    }).pipe(Effect.provide(world(model())), Effect.provideService(MalwareScanner, makeInMemoryMalwareScanner()))
  )
})
