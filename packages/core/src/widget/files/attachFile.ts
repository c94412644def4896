import { Clock, Effect } from "effect"
import type { Bot } from "../../bots/Bot.ts"
import { ConversationFiles, type FileAttached } from "../../chat/store/ConversationFiles.ts"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { Accounts } from "../../credits/Accounts.ts"
import type { Document } from "../../documents/Document.ts"
import type { DocumentFailure } from "../../documents/reading/DocumentParser.ts"
import { makeStoreFile } from "../../documents/storing/storeFile.ts"
import { UploadLimits } from "../../documents/storing/UploadLimits.ts"
import { SessionIssuedAt } from "../../identity/SessionIssuedAt.ts"
import { AccessList } from "../../sessions/AccessList.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { tierOf } from "../../tiers/CatalogData.ts"
import { BotNotFound } from "../../bots/errors.ts"
import { ConversationNotFound } from "../botErrors.ts"
import { VisitorGate } from "../VisitorGate.ts"
import type { VisitorFile } from "../VisitorMessage.ts"
import { visitorOwner } from "../visitorOwner.ts"
import { NoRoomForFile, TooManyConversationFiles, VisitorUploadsOff } from "./fileErrors.ts"

/**
 * The maximum size of a visitor's file in bytes; `MAX_CONVERSATION_FILES` is the maximum number of files of a
 * conversation.
 */
export const MAX_VISITOR_FILE_BYTES = 5 * 1024 * 1024
export const MAX_CONVERSATION_FILES = 5
/** The share of the owner's quota for documents that files of visitors may take. */
const VISITORS_SHARE = 1 / 2

/** A visitor's file, and the address from which it was sent. */
export interface VisitorFileInput extends VisitorFile {
  /** The file name from the visitor's browser; it is cleaned before it is stored. */
  readonly filename: string
  readonly bytes: Uint8Array
  /** The address from which the file was sent, as the server sees it. */
  readonly address: string | undefined
}

/** A file of a conversation, as it is shown to the visitor. */
export interface WidgetFile {
  readonly filename: string
  readonly status: Document["status"]
  /** The code of the reason why the file could not be read; absent if it was read, or if the reason is unknown. */
  readonly reason?: DocumentFailure
}

export const widgetFile = ({ filename, reasonCode, status }: Document): WidgetFile => ({
  filename,
  status,
  ...(reasonCode === undefined ? {} : { reason: reasonCode })
})

const refusalOf = (
  attached: FileAttached
): Effect.Effect<void, ConversationNotFound | NoRoomForFile | TooManyConversationFiles> => {
  if (attached === "NoConversation") return Effect.fail(new ConversationNotFound())
  if (attached === "TooMany") return Effect.fail(new TooManyConversationFiles({ limit: MAX_CONVERSATION_FILES }))
  return attached === "Full" ? Effect.fail(new NoRoomForFile()) : Effect.void
}

/**
 * Makes a check that refuses a file, before it is scanned and stored, if the conversation is full or does not exist, or
 * if the owner is blocked.
 */
const makeCheck = Effect.gen(function* () {
  const access = yield* AccessList
  const chats = yield* ChatStore
  const files = yield* ConversationFiles
  return Effect.fnUntraced(function* (owner: Parameters<typeof files.list>[0]["owner"], chatId: string | undefined) {
    yield* Effect.catchTag(access.checkPerson(owner.botOwner), "UserBlocked", () => Effect.fail(new NoRoomForFile()))
    if (chatId === undefined) return
    const found = yield* chats.transcript({ owner, chatId, limit: 1, toContinue: true })
    if (found === undefined) return yield* new ConversationNotFound()
    const { length } = yield* files.list({ owner, chatId })
    if (length >= MAX_CONVERSATION_FILES) yield* refusalOf("TooMany")
  })
})

/** Returns a function that attaches a visitor's file to a conversation, as a document of the bot's owner. */
export const makeAttachFile = <E>(botOf: (publicKey: string, held?: "held") => Effect.Effect<Bot, E>) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const catalog = yield* Catalog
    const check = yield* makeCheck
    const files = yield* ConversationFiles
    const gate = yield* VisitorGate
    const ids = yield* IdGenerator
    const limits = yield* UploadLimits
    const store = yield* makeStoreFile
    const maxBytes = Math.min(limits.maxBytes, MAX_VISITOR_FILE_BYTES)

    const share = Effect.fnUntraced(function* (owner: string) {
      const { maxDocumentBytes, maxDocuments } = tierOf(catalog, (yield* accounts.of(owner)).tier)
      return {
        maxDocuments: Math.ceil(maxDocuments * VISITORS_SHARE),
        maxDocumentBytes: Math.ceil(maxDocumentBytes * VISITORS_SHARE)
      }
    })

    const takingBot = Effect.fnUntraced(function* (publicKey: string, held?: "held") {
      const bot = yield* botOf(publicKey, held)
      return bot.visitorUploads ? bot : yield* new VisitorUploadsOff()
    })

    return Effect.fn("WidgetService.attach")(function* (sent: VisitorFileInput) {
      const { address, bytes, conversationId, filename, publicKey, visitorId } = sent
      const askedAt = yield* Clock.currentTimeMillis
      const bot = yield* takingBot(publicKey)
      const owner = yield* visitorOwner(bot, visitorId)
      yield* gate.enterUpload(address, bot.id)
      yield* check(owner, conversationId)
      const chatId = conversationId?.toLowerCase() ?? (yield* ids.next)
      const attaching = { owner, chatId, continues: conversationId !== undefined, maxFiles: MAX_CONVERSATION_FILES }
      const stored = Effect.flatMap(share(bot.owner), (quota) =>
        store({ userId: bot.owner, filename, bytes }, { ...limits, maxBytes }, (document) =>
          // Scanning takes time: no conversation may be created if the bot and its conversations are deleted meanwhile.
          Effect.andThen(
            takingBot(publicKey, "held"),
            Effect.flatMap(files.attach({ ...attaching, document, quota }), refusalOf)
          )
        )
      )
      const { document } = yield* stored.pipe(
        // As for a reply: an owner who was erased meanwhile gets no new account.
        Effect.provideService(SessionIssuedAt, askedAt),
        Effect.catchTag("SessionInvalid", () => Effect.fail(new BotNotFound({ botId: "" }))),
        Effect.catchTag("DocumentQuotaExceeded", () => Effect.fail(new NoRoomForFile()))
      )
      return { conversationId: chatId, file: widgetFile(document) }
    })
  })
