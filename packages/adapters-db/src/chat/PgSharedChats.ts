import { type ChatShare, SharedChats } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { uuidOrNil } from "./chatSql.ts"
import { livesHere } from "../storage/leftRows.ts"

export interface ShareColumns {
  readonly share_id: string | null
  readonly share_up_to: string
  readonly shared_at: Date
}

interface FoundRow extends Row, ShareColumns {
  readonly user_id: string
  readonly id: string
}

/** Returns the share that the row of a chat contains; undefined if the chat is not shared. */
export const shareOf = ({
  share_id: id,
  share_up_to: upTo,
  shared_at: sharedAt
}: ShareColumns): ChatShare | undefined => (id === null ? undefined : { id, upTo, sharedAt: sharedAt.getTime() })

const OWN = "user_id = $1 AND bot = '' AND visitor = '' AND id = $2"

/** Shared chats in Postgres or PGlite. Their owner shares them; the service finds the chat behind the id of a share. */
export const PgSharedChatsLayer: Layer.Layer<SharedChats, never, Database> = Layer.effect(
  SharedChats,
  Effect.map(Database, ({ schema, statement, statementAsUser }) => {
    const share = `UPDATE ${schema}.chats c
      SET share_id = coalesce(c.share_id, $4), share_up_to = $3::uuid, shared_at = clock_timestamp()
      WHERE ${OWN} AND EXISTS (SELECT FROM ${schema}.messages m
        WHERE m.user_id = $1 AND m.bot = '' AND m.visitor = '' AND m.chat_id = $2 AND m.id = $3::uuid)
      RETURNING share_id, share_up_to, shared_at`
    const unshare = `UPDATE ${schema}.chats SET share_id = NULL, share_up_to = NULL, shared_at = NULL
      WHERE ${OWN} RETURNING id`
    const find = `SELECT user_id, id, share_id, share_up_to, shared_at FROM ${schema}.chats
      WHERE share_id = $1 AND ${livesHere(schema, "user_id")}`
    return SharedChats.of({
      share: ({ chatId, id, upTo, userId }) => {
        const params = [userId, uuidOrNil(chatId), uuidOrNil(upTo), id]
        const shared = statementAsUser<Row & ShareColumns>(userId, share, params)
        return storing("SharedChats.share")(Effect.map(shared, ([row]) => row && shareOf(row)))
      },
      unshare: (userId, chatId) => {
        const ended = statementAsUser(userId, unshare, [userId, uuidOrNil(chatId)])
        return storing("SharedChats.unshare")(Effect.map(ended, (rows) => rows.length > 0))
      },
      find: (id) =>
        storing("SharedChats.find")(
          Effect.map(statement<FoundRow>(find, [id]), ([row]) => {
            const current = row && shareOf(row)
            return current && row && { owner: { person: row.user_id }, chatId: row.id, share: current }
          })
        )
    })
  })
)
