import type { Chat, StoredMessage, UserId } from "@parley/core"
import {
  ChatRecords,
  ChatStore,
  type ConversationOwner,
  MAX_TRANSCRIPT_BYTES,
  ownerKey,
  ownerOf,
  storableText,
  type BeginTurnInput,
  foundWordsOf,
  type EndTurn,
  type ListedChat,
  type TranscriptInput,
  storedBytes
} from "@parley/core/adapter"
import type { Source } from "@parley/core/reading"
import { Effect, Layer } from "effect"
import { retrySoon } from "../credits/retrySoon.ts"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import {
  beginTurnSql,
  countSql,
  keepDocumentsSql,
  keyOf,
  listByIdSql,
  listSql,
  rateSql,
  removeOfBotSql,
  removeSql,
  removeUnusedSql,
  renameSql,
  searchSql,
  transcriptSql,
  usageSql,
  useAgainSql,
  uuidOrNil,
  wholeTranscriptSql
} from "./chatSql.ts"
import { type ShareColumns, shareOf } from "./PgSharedChats.ts"
import { pgConversations } from "./PgConversations.ts"

/** Serializes a value for a jsonb column. Characters that Postgres refuses in jsonb are removed from its texts. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner))

/** The beginning of a turn, as the parameters of the SQL function `begin_turn`. */
export const beginRow = (input: BeginTurnInput) => {
  const { chatId, continues, documentIds = [], messages, owner, parentId, projectId, reply, title } = input
  const { userId, bot, visitor } = ownerKey(owner)
  const { content, unread = [], ...begun } = reply
  const state = content === undefined ? "streaming" : "complete"
  const all: Array<object> = []
  let bytes = storedBytes(content ?? "", reply.sources)
  for (const message of messages) {
    const images = message.images === undefined ? {} : { images: message.images.map(({ id }) => id) }
    all.push({ role: message.role, content: message.content, state: "complete", ...images })
    bytes += storedBytes(message.content)
  }
  // Most replies have read all their documents; `unread` is then not stored.
  const notRead = unread.length === 0 ? {} : { unread }
  all.push({ ...begun, ...notRead, role: "assistant", content: content ?? "", state })
  const placed = { ...(parentId === undefined ? {} : { parent: parentId }), ...(projectId && { project: projectId }) }
  all[0] = { ...all[0], ...placed }
  return {
    of_user: userId,
    of_bot: bot,
    of_visitor: visitor,
    of_chat: chatId,
    title: storableText(title),
    messages: all.length,
    reply: reply.id,
    given: storableJson(all),
    continues,
    bytes,
    documents: documentIds
  }
}

/** The end of a turn, as the SQL function `write_credits` expects it. */
export const endRow = ({ begin, chatId, content, owner, replyId, state }: EndTurn) => {
  const { userId, bot, visitor } = ownerKey(owner)
  const begun = begin && beginRow(begin)
  return {
    ...begun,
    ...(begun && { given: JSON.parse(begun.given) as unknown }),
    of_user: userId,
    of_bot: bot,
    of_visitor: visitor,
    of_chat: chatId,
    reply: replyId,
    content: storableText(content),
    state
  }
}

export interface ChatRow extends Row {
  readonly id: string
  readonly bot: string
  readonly visitor: string
  readonly title: string
  readonly project_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** True if another call began the same turn at the same moment. */
const isSerialization = ({ sqlState }: DatabaseError): boolean => sqlState === "40001"

/**
 * A row of a transcript: the chat with one of its messages. The message's columns are null if the chat has no message.
 */
interface TranscriptRow extends ChatRow, ShareColumns {
  readonly is_unused: boolean
  readonly message_id: string | null
  readonly role: StoredMessage["role"]
  readonly content: string
  readonly state: StoredMessage["state"]
  readonly model: string | null
  readonly author: string | null
  readonly sources: ReadonlyArray<Source>
  readonly unread: ReadonlyArray<string> | null
  readonly image_ids: ReadonlyArray<string> | null
  readonly rating: NonNullable<StoredMessage["rating"]> | null
  readonly message_created_at: Date
  readonly has_earlier: boolean | null
  readonly parent_id: string | null
  readonly versions: ReadonlyArray<string> | null
  /** The documents of the chat; null in all rows but the last one. */
  readonly document_ids: ReadonlyArray<string> | null
}

/**
 * A row of a search: a found chat, and the number of all found chats. The chat's columns are null if the page is empty.
 */
interface FoundRow extends ChatRow {
  readonly total: number
  /** Null, like all columns below, if the text occurs in no message of the chat. */
  readonly message_id: string | null
  readonly before: string
  readonly words: string
  readonly behind: string
}

export const chatOf = (userId: UserId, row: ChatRow): Chat => ({
  id: row.id,
  owner: ownerOf({ userId, bot: row.bot, visitor: row.visitor }),
  title: row.title,
  ...(row.project_id === null ? {} : { projectId: row.project_id }),
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

const foundOf = (userId: UserId, row: FoundRow): ListedChat => {
  const { before, behind, message_id: messageId, words } = row
  const chat = chatOf(userId, row)
  return messageId === null ? chat : { ...chat, found: foundWordsOf({ messageId, before, words, behind }) }
}

const messageOf = (row: TranscriptRow): StoredMessage => ({
  id: row.message_id ?? "",
  parentId: row.parent_id,
  versions: row.versions !== null && row.versions.length > 1 ? row.versions : [],
  role: row.role,
  content: row.content,
  state: row.state,
  model: row.model ?? undefined,
  ...(row.author === null ? {} : { author: row.author }),
  ...(row.image_ids === null ? {} : { imageIds: row.image_ids }),
  sources: row.sources,
  unread: row.unread ?? [],
  rating: row.rating ?? undefined,
  createdAt: row.message_created_at.getTime()
})

/** The message at which a part of a transcript is read, if the input names one, and its place in that part. */
const namedBy = ({ before, branch }: TranscriptInput) => {
  if (before !== undefined) return { id: before, place: "before" }
  if (branch === undefined || branch === "all") return { id: undefined, place: "" }
  return "upTo" in branch ? { id: branch.upTo, place: "upTo" } : { id: branch.through, place: "through" }
}

/** Reads a part of a chat. If the reader continues an unused chat, the chat is marked as used. */
const pgTranscript = (database: Database["Service"]): ChatStore["Service"]["transcript"] => {
  const sqlTexts = {
    branch: transcriptSql(database.schema),
    whole: wholeTranscriptSql(database.schema),
    useAgain: useAgainSql(database.schema)
  }

  /** Marks the chat as used, and returns true if it still exists. The service writes to conversations of visitors. */
  const useAgain = (owner: ConversationOwner, chatId: string) => {
    const params = [...keyOf(owner), chatId]
    return Effect.map(
      "person" in owner
        ? database.statementAsUser(owner.person, sqlTexts.useAgain, params)
        : database.statement(sqlTexts.useAgain, params),
      (rows) => rows.length > 0
    )
  }

  const transcript = Effect.fnUntraced(function* (input: TranscriptInput) {
    const { branch, chatId, limit, maxBytes = MAX_TRANSCRIPT_BYTES, owner, toContinue = false } = input
    const { id, place } = namedBy(input)
    const { userId } = ownerKey(owner)
    const isWhole = branch === "all"
    const rows = yield* database.statementAsUser<TranscriptRow>(userId, isWhole ? sqlTexts.whole : sqlTexts.branch, [
      ...keyOf(owner),
      uuidOrNil(chatId),
      limit,
      maxBytes,
      id === undefined ? null : uuidOrNil(id),
      ...(isWhole ? [] : [place])
    ])
    const [first] = rows
    if (first === undefined || (toContinue && first.is_unused && !(yield* useAgain(owner, chatId)))) return undefined
    return {
      chat: chatOf(userId, first),
      share: shareOf(first),
      messages: rows.filter((row) => row.message_id !== null).map(messageOf),
      hasEarlier: first.has_earlier === true,
      documentIds: rows.at(-1)?.document_ids ?? []
    }
  })

  return (input) => storing("ChatStore.transcript")(transcript(input))
}

/** The methods that read lists of chats. */
const pgLists = (database: Database["Service"]): Pick<ChatStore["Service"], "list"> => {
  const { schema } = database
  const sqlTexts = { list: listSql(schema), count: countSql(schema), search: searchSql(schema) }

  const listed = (userId: UserId, which: ReadonlyArray<unknown>, page: ReadonlyArray<unknown>) =>
    database.asUser(userId, (sql) =>
      Effect.gen(function* () {
        const [counted] = yield* sql.query<{ total: number }>(sqlTexts.count, which)
        const rows = yield* sql.query<ChatRow>(sqlTexts.list, [...which, ...page])
        return { chats: rows.map((row) => chatOf(userId, row)), total: counted?.total ?? 0 }
      })
    )

  const found = (userId: UserId, which: ReadonlyArray<unknown>, page: ReadonlyArray<unknown>, text: string) =>
    Effect.map(database.statementAsUser<FoundRow>(userId, sqlTexts.search, [...which, ...page, text]), (rows) => ({
      chats: rows.flatMap((row) => ((row.id as string | null) === null ? [] : [foundOf(userId, row)])),
      total: rows[0]?.total ?? 0
    }))

  return {
    list: ({ userId, bot = "", limit, offset, projectId, search = "" }) => {
      const which = [userId, bot, projectId === undefined ? null : uuidOrNil(projectId)]
      const page = [limit, offset]
      return storing("ChatStore.list")(
        search === "" ? listed(userId, which, page) : found(userId, which, page, storableText(search))
      )
    }
  }
}

const make = Effect.map(Database, (database) => {
  const { schema } = database
  const sqlTexts = {
    begin: beginTurnSql(schema),
    rename: renameSql(schema),
    keepDocuments: keepDocumentsSql(schema),
    usageOfOwn: usageSql(schema, "own"),
    usageOfVisitors: usageSql(schema, "visitors"),
    remove: removeSql(schema)
  }

  /**
   * Reads and deletes with the rights of the person who owns the rows. The owner of a bot owns its visitors'
   * conversations.
   */
  const asOwner = <R extends Row>(owner: ConversationOwner, text: string, params: ReadonlyArray<unknown>) =>
    database.statementAsUser<R>(ownerKey(owner).userId, text, params)

  return ChatStore.of({
    ...pgLists(database),
    transcript: pgTranscript(database),
    beginTurn: (input) => {
      const { running } = input
      const begun = Object.values(beginRow(input))
      const record = [running?.hold.userId, running?.hold.key, running?.joinable, running && Math.ceil(running.ttlMs)]
      const params = [...begun, ...record.map((value) => value ?? null)]
      // `begin_turn` itself enters the role of the conversation's author: the person, or the service for a visitor.
      const begin = retrySoon(isSerialization)(database.statement(sqlTexts.begin, params))
      return storing("ChatStore.beginTurn", "turn")(Effect.asVoid(begin))
    },
    rename: (userId, chatId, title, from) => {
      const titles = [storableText(title), from === undefined ? null : storableText(from)]
      const renamed = database.statementAsUser<ChatRow>(userId, sqlTexts.rename, [userId, uuidOrNil(chatId), ...titles])
      return storing("ChatStore.rename")(Effect.map(renamed, ([row]) => row && chatOf(userId, row)))
    },
    keepDocuments: (userId, chatId, documentIds) =>
      storing("ChatStore.keepDocuments")(
        Effect.map(
          database.statementAsUser(userId, sqlTexts.keepDocuments, [userId, uuidOrNil(chatId), documentIds]),
          (rows) => rows.length > 0
        )
      ),
    usage: (owner) =>
      storing("ChatStore.usage")(
        Effect.map(
          asOwner<{ bytes: number }>(owner, "person" in owner ? sqlTexts.usageOfOwn : sqlTexts.usageOfVisitors, [
            ownerKey(owner).userId
          ]),
          (rows) => Number(rows[0]?.bytes ?? 0)
        )
      ),
    remove: (owner, chatId) =>
      storing("ChatStore.remove")(
        Effect.map(asOwner(owner, sqlTexts.remove, [...keyOf(owner), uuidOrNil(chatId)]), (rows) => rows.length > 0)
      )
  })
})

const makeRecords = Effect.map(Database, (database) => {
  const listById = listByIdSql(database.schema)
  const rate = rateSql(database.schema)
  const removeOfBot = removeOfBotSql(database.schema)
  const removeUnused = {
    people: removeUnusedSql(database.schema, "people"),
    visitors: removeUnusedSql(database.schema, "visitors")
  }
  return ChatRecords.of({
    ...pgConversations(database),
    listById: ({ after, limit, userId }) =>
      storing("ChatRecords.listById")(
        Effect.map(database.statementAsUser<ChatRow>(userId, listById, [userId, after ?? null, limit]), (rows) =>
          rows.map((row) => chatOf(userId, row))
        )
      ),
    rate: ({ chatId, messageId, owner, rating }) => {
      const { bot } = ownerKey(owner)
      const value = rating === undefined ? null : storableJson(rating)
      const names = [...keyOf(owner), uuidOrNil(chatId), uuidOrNil(messageId)]
      const rated = database.statement<{ rated: boolean }>(rate, [...names, value, bot === "" ? "chat" : `bot:${bot}`])
      return storing("ChatRecords.rate")(Effect.map(rated, ([row]) => row?.rated === true))
    },
    removeOfBot: (userId, bot) =>
      storing("ChatRecords.removeOfBot")(Effect.asVoid(database.statementAsUser(userId, removeOfBot, [userId, bot]))),
    removeUnused: ({ limit, unusedForMs, whose }) =>
      storing(
        "ChatRecords.removeUnused",
        "maintenance"
      )(
        Effect.map(
          database.statement<{ removed: number }>(removeUnused[whose], [unusedForMs, limit]),
          ([row]) => row?.removed ?? 0
        )
      )
  })
})

/**
 * Chats in Postgres or PGlite. Statements run with the rights of the chats' owner, except for the removal of unused
 * chats.
 */
export const PgChatStoreLayer: Layer.Layer<ChatStore | ChatRecords, never, Database> = Layer.mergeAll(
  Layer.effect(ChatStore, make),
  Layer.effect(ChatRecords, makeRecords)
)
