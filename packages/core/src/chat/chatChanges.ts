import { Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { findReadableDocuments, uniqueIds } from "../documents/searching/findReadableDocuments.ts"
import { isUuid, storableLine, storableText } from "../storage/storedForms.ts"
import { countOf } from "../storage/spokenNumbers.ts"
import { MAX_DOCUMENTS } from "./ChatRequest.ts"
import { ChatRecords, ChatStore } from "./store/ChatStore.ts"
import type { ConversationOwner, ReplyRating } from "./store/StoredChat.ts"
import { ChatNotFound, InvalidChatChange } from "./errors.ts"

const MAX_TITLE_CHARACTERS = 200
const MAX_COMMENT_CHARACTERS = 2_000

const invalid = (path: string, message: string) => new InvalidChatChange({ issues: [{ path, message }] })

const documentProblem = (documentIds: ReadonlyArray<string>): string | undefined => {
  if (documentIds.length > MAX_DOCUMENTS) return `Expected at most ${MAX_DOCUMENTS} documents`
  return documentIds.every(isUuid) ? undefined : "Expected UUIDs"
}

/** Returns the documents of a list that their owner still has, in the same order. */
export const stillThere = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  userId: UserId,
  documentIds: ReadonlyArray<string>
) {
  if (documentIds.length === 0) return documentIds
  const found = new Set((yield* documents.find(userId, documentIds)).map(({ id }) => id))
  return documentIds.filter((id) => found.has(id))
})

/** The changes that a person can make to their own chats, except sending messages. */
export const makeChatChanges = Effect.gen(function* () {
  const chats = yield* ChatStore
  const documents = yield* DocumentStore
  const records = yield* ChatRecords

  const rename = Effect.fn("ChatService.rename")(function* (userId: UserId, chatId: string, title: string) {
    const clean = storableLine(title)
    if (clean === "" || Array.from(clean).length > MAX_TITLE_CHARACTERS) {
      return yield* invalid("title", `Expected 1 to ${MAX_TITLE_CHARACTERS} characters`)
    }
    return (yield* chats.rename(userId, chatId, clean)) ?? (yield* new ChatNotFound({ chatId }))
  })

  const keepDocuments = Effect.fn("ChatService.keepDocuments")(function* (
    userId: UserId,
    chatId: string,
    documentIds: ReadonlyArray<string>
  ) {
    const problem = documentProblem(documentIds)
    if (problem !== undefined) return yield* invalid("documentIds", problem)
    const found = yield* chats.transcript({ owner: { person: userId }, chatId, limit: 1 })
    if (found === undefined) return yield* new ChatNotFound({ chatId })
    const ids = uniqueIds(documentIds)
    yield* findReadableDocuments(documents, userId, ids)
    if (!(yield* chats.keepDocuments(userId, chatId, ids))) return yield* new ChatNotFound({ chatId })
    return ids
  })

  const rate = Effect.fn("ChatService.rate")(function* (
    owner: ConversationOwner,
    chatId: string,
    messageId: string,
    rating: ReplyRating | undefined
  ) {
    const comment = rating?.comment === undefined ? "" : storableText(rating.comment).trim()
    if (Array.from(comment).length > MAX_COMMENT_CHARACTERS) {
      return yield* invalid("comment", `Expected at most ${countOf(MAX_COMMENT_CHARACTERS, "character")}`)
    }
    const clean = rating && { rating: rating.rating, ...(comment === "" ? {} : { comment }) }
    if (!(yield* records.rate({ owner, chatId, messageId, rating: clean }))) return yield* new ChatNotFound({ chatId })
  })

  return { rename, keepDocuments, rate }
})
