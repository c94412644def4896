import {
  NOTHING_RENEWED,
  ownerKey,
  type Renewed,
  type RenewInput,
  type ReplyBeat,
  storableText
} from "@parley/core/adapter"
import { Effect } from "effect"
import { sameReply } from "../chat/chatSql.ts"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { momentOf } from "./LedgerClock.ts"

/**
 * Records one heartbeat of many holds and of the replies for which they pay. It waits for no lock, so it cannot be part
 * of a deadlock: it skips rows that another call has locked, which are just being ended or written.
 *
 * Text is added only at the end of the stored text: text that is stored already is skipped, and text that would leave a
 * gap is not written. The tokens of a hold are recorded only if the text that they count is stored. A missing running
 * record is created: the reply has no words yet, or a sweeper has ended its record.
 *
 * SQL parameters: the heartbeats as JSON, the time or null for the database's, the time to live in milliseconds.
 */
const renewText = (schema: string) => `
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS a(place integer, payer text, key text, tokens bigint, draft text,
      user_id text, bot text, visitor text, chat_id uuid, reply_id uuid, model text, joinable boolean, start integer,
      length integer, text text)
  ), locked AS MATERIALIZED (
    SELECT h.user_id, h.key, h.output_tokens, h.expires_at, h.draft FROM ${schema}.credit_holds h
    WHERE (h.user_id, h.key) IN (SELECT payer, key FROM asked)
    FOR UPDATE OF h SKIP LOCKED
  ), written AS MATERIALIZED (
    SELECT a.*, ${momentOf("$2")} + $3 * interval '1 millisecond' AS expiry FROM asked a
    JOIN locked l ON l.user_id = a.payer AND l.key = a.key WHERE a.reply_id IS NOT NULL
  ), known AS MATERIALIZED (
    SELECT w.place, r.length FROM written w JOIN ${schema}.running_replies r ON ${sameReply("r", "w")}
    FOR UPDATE OF r SKIP LOCKED
  ), continued AS (
    UPDATE ${schema}.running_replies r SET model = w.model, joinable = w.joinable, payer = w.payer, hold_key = w.key,
      expires_at = w.expiry, length = CASE WHEN k.length = w.start THEN w.start + w.length ELSE k.length END
    FROM known k JOIN written w USING (place) WHERE ${sameReply("r", "w")}
    RETURNING w.place, r.length, r.stop_asked
  ), chat AS MATERIALIZED (
    SELECT w.place FROM written w JOIN ${schema}.chats c
      ON c.user_id = w.user_id AND c.bot = w.bot AND c.visitor = w.visitor AND c.id = w.chat_id
    WHERE NOT EXISTS (SELECT FROM ${schema}.running_replies r WHERE ${sameReply("r", "w")})
    FOR KEY SHARE OF c SKIP LOCKED
  ), made AS (
    INSERT INTO ${schema}.running_replies (user_id, bot, visitor, chat_id, reply_id, payer, hold_key, model, joinable,
      length, expires_at)
    SELECT w.user_id, w.bot, w.visitor, w.chat_id, w.reply_id, w.payer, w.key, w.model, w.joinable,
      CASE WHEN w.start = 0 THEN w.length ELSE 0 END, w.expiry FROM chat JOIN written w USING (place)
    ON CONFLICT DO NOTHING
    RETURNING user_id, bot, visitor, chat_id, reply_id, length, stop_asked
  ), head AS MATERIALIZED (
    SELECT place, length, stop_asked FROM continued
    UNION ALL SELECT w.place, m.length, m.stop_asked FROM made m JOIN written w ON ${sameReply("w", "m")}
  ), piece AS (
    INSERT INTO ${schema}.running_reply_texts (user_id, bot, visitor, chat_id, reply_id, start_offset, text)
    SELECT w.user_id, w.bot, w.visitor, w.chat_id, w.reply_id, w.start, w.text FROM head JOIN written w USING (place)
    WHERE w.text <> '' AND head.length = w.start + w.length ON CONFLICT DO NOTHING
  ), progress AS (
    SELECT l.user_id, l.key, coalesce(max(a.draft)::jsonb, l.draft) AS charged,
      greatest(l.expires_at, ${momentOf("$2")} + $3 * interval '1 millisecond') AS expiry,
      greatest(l.output_tokens, max(a.tokens) FILTER (WHERE a.reply_id IS NULL OR head.length = a.start + a.length)) AS tokens
    FROM locked l JOIN asked a ON a.payer = l.user_id AND a.key = l.key LEFT JOIN head USING (place)
    GROUP BY l.user_id, l.key, l.draft, l.expires_at, l.output_tokens
  ), renewed AS (
    UPDATE ${schema}.credit_holds h
    SET output_tokens = p.tokens, expires_at = p.expiry, draft = p.charged,
      seal = ${schema}.hold_seal(jsonb_populate_record(h, jsonb_build_object('output_tokens', p.tokens,
        'expires_at', p.expiry, 'draft', p.charged)))
    FROM progress p WHERE h.user_id = p.user_id AND h.key = p.key
  )
  SELECT l.key IS NOT NULL AS renewed,
    NOT EXISTS (SELECT FROM ${schema}.credit_holds h WHERE h.user_id = a.payer AND h.key = a.key) AS hold_gone,
    a.reply_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM ${schema}.chats c
      WHERE c.user_id = a.user_id AND c.bot = a.bot AND c.visitor = a.visitor AND c.id = a.chat_id
    ) AS chat_gone, head.length, head.stop_asked
  FROM asked a LEFT JOIN locked l ON l.user_id = a.payer AND l.key = a.key LEFT JOIN head USING (place)
  ORDER BY a.place`

interface BeatenRow extends Row {
  readonly renewed: boolean
  readonly hold_gone: boolean
  readonly chat_gone: boolean
  readonly length: number | null
  readonly stop_asked: boolean | null
}

const beatJson = ({ hold, reply }: ReplyBeat, place: number) => ({
  place,
  payer: hold.userId,
  key: hold.key,
  tokens: hold.outputTokens,
  draft: hold.draft && JSON.stringify(hold.draft),
  ...(reply && replyJson(reply))
})

const replyJson = ({ chatId, joinable, model, owner, replyId, start, text }: NonNullable<ReplyBeat["reply"]>) => {
  const { userId, bot, visitor } = ownerKey(owner)
  return {
    user_id: userId,
    bot,
    visitor,
    chat_id: chatId,
    reply_id: replyId,
    model,
    joinable,
    start,
    length: text.length,
    text: storableText(text)
  }
}

/** Records a heartbeat of each of these holds and replies; returns one row for each, in their order. */
export const beatHolds = (
  { schema, statement }: Database["Service"],
  beats: ReadonlyArray<ReplyBeat>,
  ttlMs: number,
  now: string | null
): Effect.Effect<ReadonlyArray<BeatenRow>, DatabaseError> =>
  beats.length === 0
    ? Effect.succeed([])
    : statement<BeatenRow>(renewText(schema), [JSON.stringify(beats.map(beatJson)), now, Math.ceil(ttlMs)])

/**
 * Stores the progress and the new expiry of open holds. Returns the number of holds that were still open, and the holds
 * that no longer exist.
 */
export const renewHolds = (
  database: Database["Service"],
  { holds, ttlMs }: RenewInput,
  now: string | null
): Effect.Effect<Renewed, DatabaseError> =>
  holds.length === 0
    ? Effect.succeed(NOTHING_RENEWED)
    : Effect.map(
        beatHolds(
          database,
          holds.map((hold) => ({ hold })),
          ttlMs,
          now
        ),
        (rows) => ({
          renewed: rows.filter(({ renewed }) => renewed).length,
          gone: holds.filter((_, index) => rows[index]?.hold_gone === true).map(({ userId, key }) => ({ userId, key }))
        })
      )
