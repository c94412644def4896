import { type BotConversation, type ChatRecords, type ConversationCursor, storableText } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { uuidOrNil } from "./chatSql.ts"
import { type HandoverJson, handoverOf } from "./PgHandovers.ts"
import { conversationsByIdSql, conversationSql, conversationsSql, searchConversationsSql } from "./conversationSql.ts"

interface ConversationRow extends Row {
  readonly id: string
  readonly bot: string
  readonly visitor: string
  readonly title: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly used_at_micros: number
  readonly message_count: number
  readonly reply_ids: ReadonlyArray<string>
  readonly handover: HandoverJson | null
}

/** A row of a search: a found conversation, or, as the last row, the conversation at which the search stopped. */
interface FoundRow extends ConversationRow {
  readonly is_end: boolean
}

const cursorOf = (row: ConversationRow): ConversationCursor => ({ usedAtMicros: row.used_at_micros, id: row.id })

type Conversations = Pick<ChatRecords["Service"], "conversation" | "conversations" | "conversationsById">

const conversationOf =
  (botOwner: string) =>
  (row: ConversationRow): BotConversation => ({
    id: row.id,
    owner: { visitor: row.visitor, bot: row.bot, botOwner },
    title: row.title,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    messageCount: row.message_count,
    replyIds: row.reply_ids,
    ...(row.handover === null ? {} : { handover: handoverOf(row.handover) })
  })

/**
 * Returns the first `limit` rows as a page with the cursor of the next page. The cursor is the last row of the page, or
 * the row `end` at which the search stopped.
 */
const pageOf = (botOwner: string, limit: number, rows: ReadonlyArray<ConversationRow>, end?: ConversationRow) => {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : end
  return { conversations: page.map(conversationOf(botOwner)), next: last && cursorOf(last) }
}

/** Lets the owners of bots read the conversations of their visitors, with the owner's rights. */
export const pgConversations = ({ schema, statementAsUser }: Database["Service"]): Conversations => {
  const text = {
    list: conversationsSql(schema, false),
    listByState: conversationsSql(schema, true),
    search: searchConversationsSql(schema, false),
    searchByState: searchConversationsSql(schema, true),
    byId: conversationsByIdSql(schema),
    one: conversationSql(schema)
  }

  return {
    conversations: ({ before, bot, botOwner, limit, search = "", state }) => {
      const params = [botOwner, bot, before?.usedAtMicros ?? null, before?.id ?? null, limit]
      const inState = state === undefined ? [] : [state]
      const list = state === undefined ? text.list : text.listByState
      const find = state === undefined ? text.search : text.searchByState
      return storing("ChatRecords.conversations")(
        search === ""
          ? Effect.map(statementAsUser<ConversationRow>(botOwner, list, [...params, ...inState]), (rows) =>
              pageOf(botOwner, limit, rows)
            )
          : Effect.map(
              statementAsUser<FoundRow>(botOwner, find, [...params, storableText(search), ...inState]),
              (rows) =>
                pageOf(
                  botOwner,
                  limit,
                  rows.filter((row) => !row.is_end),
                  rows.find((row) => row.is_end)
                )
            )
      )
    },
    conversationsById: ({ after, bot, botOwner, limit }) =>
      storing("ChatRecords.conversationsById")(
        Effect.map(
          statementAsUser<ConversationRow>(botOwner, text.byId, [botOwner, bot, after ?? null, limit]),
          (rows) => rows.map(conversationOf(botOwner))
        )
      ),
    conversation: (botOwner, bot, id) =>
      storing("ChatRecords.conversation")(
        Effect.map(
          statementAsUser<ConversationRow>(botOwner, text.one, [botOwner, bot, uuidOrNil(id)]),
          ([row]) => row && conversationOf(botOwner)(row)
        )
      )
  }
}
