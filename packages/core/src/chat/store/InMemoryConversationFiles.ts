import { Clock, Effect, Layer } from "effect"
import type { Document } from "../../documents/Document.ts"
import { InMemoryDocuments, keyInMemory } from "../../documents/storing/InMemoryDocumentStore.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import { type AttachFileInput, ConversationFiles, type FileAttached, type FilesOf } from "./ConversationFiles.ts"
import type { VisitorChat } from "./Handovers.ts"
import { InMemoryChats, keyOf, type StoredChat } from "./InMemoryChats.ts"
import { unusedKeys } from "./InMemoryChatStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { chats, running, use } = yield* InMemoryChats
  const { documents, ownedBy, remove } = yield* InMemoryDocuments

  const isWithin = ({ quota }: AttachFileInput, userId: string): boolean => {
    const files = ownedBy(userId).filter(({ conversation }) => conversation !== undefined)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return files.length <= quota.maxDocuments && bytes <= quota.maxDocumentBytes
  }

  const list = ({ chatId, owner: { bot, botOwner, visitor } }: VisitorChat) =>
    ownedBy(botOwner)
      .filter(({ conversation }) => conversation?.bot === bot && conversation.visitor === visitor)
      .filter(({ conversation }) => conversation?.id === chatId.toLowerCase())
      .toSorted((a, b) => a.createdAt - b.createdAt)

  const attach = (input: AttachFileInput, now: number): FileAttached => {
    const { continues, document, maxFiles, owner } = input
    const key = keyOf(owner, input.chatId)
    const id = input.chatId.toLowerCase()
    const title = storableText(document.filename)
    const begun: StoredChat = {
      chat: { id, owner, title, createdAt: now, updatedAt: now },
      messages: [],
      asked: [],
      kept: undefined,
      use: use()
    }
    const stored = chats.get(key) ?? (continues ? undefined : begun)
    if (stored === undefined) return "NoConversation"
    const kept = list(input).map((each) => each.id)
    if (kept.length >= maxFiles) return "TooMany"
    const name = keyInMemory({ userId: owner.botOwner, documentId: document.id })
    const file = documents.get(name)
    if (file === undefined) return "NoConversation"
    documents.set(name, { ...file, conversation: { bot: owner.bot, visitor: owner.visitor, id } })
    chats.set(key, { ...stored, chat: { ...stored.chat, updatedAt: now }, kept: [...kept, file.id] })
    return isWithin(input, owner.botOwner) ? "Attached" : "Full"
  }

  const filesOf = (of: FilesOf, now: number): ReadonlyArray<Document> => {
    if ("unusedForMs" in of) {
      const unused = { whose: "visitors", unusedForMs: of.unusedForMs, limit: Infinity } as const
      const keys = new Set(unusedKeys(chats.entries(), running.values(), unused, now))
      return [...documents.values()].filter(({ conversation: at, userId }) => {
        return at !== undefined && keys.has(keyOf({ ...at, botOwner: userId }, at.id))
      })
    }
    return "bot" in of ? ownedBy(of.botOwner).filter(({ conversation }) => conversation?.bot === of.bot) : list(of)
  }

  const removeOne = (of: FilesOf, now: number): boolean => {
    const [file] = filesOf(of, now)
    return file !== undefined && remove({ userId: file.userId, documentId: file.id })
  }

  return ConversationFiles.of({
    attach: (input) => storage.exclusive(Effect.map(Clock.currentTimeMillis, (now) => attach(input, now))),
    removeOne: (of) => storage.exclusive(Effect.map(Clock.currentTimeMillis, (now) => removeOne(of, now))),
    list: (chat) => storage.exclusive(Effect.sync(() => list(chat)))
  })
})

/** The files of visitors' conversations in the memory of one process. */
export const InMemoryConversationFiles = {
  layer: Layer.effect(ConversationFiles, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryChats.layer, InMemoryDocuments.layer, InMemoryStorage.layer))
  )
}
