import { ownerKey, type ReplyName, type RunningProgress, type RunningChat, RunningReplies } from "@parley/core/adapter"
import type { MessageState } from "@parley/core"
import { Effect, Layer } from "effect"
import { beatHolds } from "../credits/renewHolds.ts"
import { makeLedgerTime } from "../credits/LedgerClock.ts"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { keyOf, OWNED, sameReply, uuidOrNil } from "./chatSql.ts"

interface ReadRow extends Row {
  readonly running_model: string | null
  readonly alive: boolean | null
  readonly start: number | null
  readonly text: string | null
  readonly state: MessageState | null
  readonly model: string | null
  readonly content: string | null
}

interface FoundRow extends Row {
  readonly reply_id: string
  readonly model: string
  readonly started_at: Date
}

const chatParams = ({ owner, chatId }: RunningChat) => [...keyOf(owner), uuidOrNil(chatId)]
const replyParams = (reply: ReplyName) => [...chatParams(reply), reply.replyId]

const progressOf = (row: ReadRow | undefined, from: number): RunningProgress => {
  if (row === undefined) return { _tag: "Lost", text: "" }
  const { alive, content, model, running_model: runningModel, state } = row
  const text = (row.text ?? "").slice(from - (row.start ?? 0))
  if (runningModel !== null)
    return alive === true ? { _tag: "Running", model: runningModel, text } : { _tag: "Lost", text }
  if (state === null || state === "streaming") return { _tag: "Lost", text: "" }
  return { _tag: "Ended", model: model ?? undefined, text: (content ?? "").slice(from), state }
}

/**
 * The SQL statements on the running records of replies. Their first parameters are the owner's key (user id, bot,
 * visitor) and the id of the chat; `read` has the id of the reply as its fifth.
 */
const runningReplySql = (schema: string) => ({
  /**
   * Returns the stored text of a reply, beginning with the piece that contains an offset. If the running record was
   * deleted, returns the message. Last SQL parameter: the offset.
   */
  read: `SELECT r.model AS running_model, r.expires_at > clock_timestamp() AS alive, p.start, p.text, m.state, m.model,
      CASE WHEN r.reply_id IS NULL THEN m.content END AS content
    FROM ${schema}.chats c
    LEFT JOIN ${schema}.running_replies r ON r.user_id = c.user_id AND r.bot = c.bot AND r.visitor = c.visitor
      AND r.chat_id = c.id AND r.reply_id = $5::uuid
    LEFT JOIN ${schema}.messages m ON m.user_id = c.user_id AND m.bot = c.bot AND m.visitor = c.visitor
      AND m.chat_id = c.id AND m.id = $5::uuid
    LEFT JOIN LATERAL (
      SELECT min(t.start_offset) AS start, string_agg(t.text, '' ORDER BY t.start_offset) AS text
      FROM ${schema}.running_reply_texts t WHERE ${sameReply("t", "r")} AND t.start_offset >= (
        SELECT coalesce(max(f.start_offset), 0) FROM ${schema}.running_reply_texts f
        WHERE ${sameReply("f", "r")} AND f.start_offset <= $6::integer)
    ) p ON true
    WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4::uuid`,

  /**
   * Finds the newest running reply that clients may join. Last SQL parameter: the id of the reply, or null for any
   * reply.
   */
  find: `SELECT reply_id, model, started_at FROM ${schema}.running_replies
    WHERE ${OWNED} AND chat_id = $4::uuid AND joinable AND expires_at > clock_timestamp() AND ($5::uuid IS NULL OR reply_id = $5::uuid)
    ORDER BY started_at DESC LIMIT 1`,

  askToStop: `UPDATE ${schema}.running_replies SET stop_asked = true
    WHERE ${OWNED} AND chat_id = $4::uuid AND joinable AND expires_at > clock_timestamp() RETURNING reply_id`,

  /**
   * Asks all running replies of a person, and of the visitors of the person's bots, to stop. The only SQL parameter:
   * the user id.
   */
  askAllToStop: `UPDATE ${schema}.running_replies SET stop_asked = true WHERE user_id = $1 AND NOT stop_asked`
})

const make = Effect.gen(function* () {
  const database = yield* Database
  const time = yield* makeLedgerTime
  const sqlTexts = runningReplySql(database.schema)

  /** Reads with the rights of the person who owns the rows. The owner of a bot owns its visitors' conversations. */
  const asOwner = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    database.statementAsUser<R>(ownerKey(owner).userId, text, params)

  /**
   * Writes with the rights of the person whose chat it is. A visitor has no database role, so the service writes in a
   * visitor's conversation.
   */
  const asAuthor = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    "person" in owner ? database.statementAsUser<R>(owner.person, text, params) : database.statement<R>(text, params)

  return RunningReplies.of({
    write: ({ beats, ttlMs }) =>
      time.given.pipe(
        Effect.flatMap((now) => beatHolds(database, beats, ttlMs, now)),
        Effect.map((rows) =>
          rows.map((row) => ({
            isHoldGone: row.hold_gone,
            isChatGone: row.chat_gone,
            length: row.length ?? undefined,
            stopAsked: row.stop_asked === true
          }))
        ),
        storing("RunningReplies.write", "maintenance")
      ),
    read: ({ from, ...reply }) =>
      storing("RunningReplies.read")(
        Effect.map(asOwner<ReadRow>(reply, sqlTexts.read, [...replyParams(reply), from]), ([row]) =>
          progressOf(row, from)
        )
      ),
    find: ({ replyId, ...chat }) =>
      storing("RunningReplies.find")(
        Effect.map(asOwner<FoundRow>(chat, sqlTexts.find, [...chatParams(chat), replyId ?? null]), ([row]) =>
          row === undefined
            ? undefined
            : { messageId: row.reply_id, model: row.model, startedAt: row.started_at.getTime() }
        )
      ),
    askToStop: (chat) =>
      storing("RunningReplies.askToStop")(
        Effect.map(asAuthor(chat, sqlTexts.askToStop, chatParams(chat)), (rows) => rows.length > 0)
      ),
    askAllToStop: (userId) =>
      storing("RunningReplies.askAllToStop")(
        // Runs as the service, because the person's role may not write the records of visitors' replies.
        Effect.asVoid(database.statement(sqlTexts.askAllToStop, [userId]))
      )
  })
})

/** The running records of replies in Postgres or PGlite. */
export const PgRunningRepliesLayer: Layer.Layer<RunningReplies, never, Database> = Layer.effect(RunningReplies, make)
