import { type BotDay, BotReports, type BotSpan, type CitedDocument, LEAST_WORDS } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

/**
 * Selects the ended replies of a bot's model in a span of time, each with its question; messages that a person wrote in
 * the place of the bot are left out. Only chats that were used since the beginning of the span are read. SQL
 * parameters: the owner's user id, the bot's id, the first moment of the span, the moment after its end (both in Unix
 * milliseconds), and whether the bot has documents.
 */
const answers = (schema: string): string => `answer AS MATERIALIZED (
    SELECT r.id, r.visitor, r.chat_id, r.created_at, r.content, r.sources, r.rating ->> 'rating' AS rating, q.content AS question,
      cardinality(regexp_split_to_array(btrim(q.content, E' \\t\\n\\r'), '\\s+')) >= ${LEAST_WORDS} AND (
        r.model IS NULL OR coalesce(r.rating ->> 'rating' = 'bad', false)
        OR ($5::boolean OR r.sources <> '[]') AND r.content !~ '\\[\\d{1,4}(\\s?[,;]\\s?\\d{1,4})*\\]'
      ) AS is_unanswered
    FROM ${schema}.chats c
    JOIN ${schema}.messages r ON r.user_id = $1 AND r.bot = $2 AND r.visitor = c.visitor AND r.chat_id = c.id
    JOIN ${schema}.messages q ON q.user_id = $1 AND q.bot = $2 AND q.visitor = c.visitor AND q.chat_id = c.id
      AND q.position = coalesce(r.parent_position, r.position - 1)
    WHERE c.user_id = $1 AND c.bot = $2 AND c.bot <> '' AND c.updated_at >= to_timestamp($3::float8 / 1000)
      AND r.role = 'assistant' AND r.author IS NULL AND r.state <> 'streaming' AND q.role = 'user'
      AND r.created_at >= to_timestamp($3::float8 / 1000) AND r.created_at < to_timestamp($4::float8 / 1000)
  )`

const texts = (schema: string) => ({
  days: `WITH ${answers(schema)}, conversation AS (
      SELECT floor(extract(epoch FROM created_at) / 86400)::integer AS day, visitor, chat_id, count(*) AS questions,
        count(*) FILTER (WHERE is_unanswered) AS unanswered, count(*) FILTER (WHERE rating = 'good') AS good,
        count(*) FILTER (WHERE rating = 'bad') AS bad
      FROM answer GROUP BY 1, 2, 3
    )
    SELECT day, count(*)::integer AS conversations, sum(questions)::integer AS questions,
      (count(*) FILTER (WHERE unanswered > 0 OR EXISTS (
        SELECT FROM ${schema}.handovers h
        WHERE h.user_id = $1 AND h.bot = $2 AND h.visitor = v.visitor AND h.chat_id = v.chat_id
      )))::integer AS unresolved,
      sum(unanswered)::integer AS unanswered, sum(good)::integer AS good, sum(bad)::integer AS bad
    FROM conversation v GROUP BY day ORDER BY day`,
  /** The questions without an answer. One more SQL parameter: the most questions to return. */
  unanswered: `WITH ${answers(schema)}
    SELECT chat_id, question, created_at FROM answer WHERE is_unanswered ORDER BY created_at DESC LIMIT $6`,
  /** The documents that replies cite. One more SQL parameter: the most documents to return. */
  cited: `WITH ${answers(schema)}
    SELECT s.value ->> 'documentId' AS document_id, min(s.value ->> 'filename') AS filename,
      count(DISTINCT a.id)::integer AS replies
    FROM answer a CROSS JOIN jsonb_array_elements(a.sources) s
    WHERE a.content ~ ('\\[(\\d{1,4}\\s?[,;]\\s?)*' || (s.value ->> 'number') || '(\\s?[,;]\\s?\\d{1,4})*\\]')
    GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT $6`
})

/** Reports on the conversations of bots in Postgres or PGlite. They are read with the rights of the bot's owner. */
export const PgBotReportsLayer: Layer.Layer<BotReports, never, Database> = Layer.effect(
  BotReports,
  Effect.map(Database, ({ schema, statementAsUser }) => {
    const text = texts(schema)
    const paramsOf = ({ bot, botOwner, from, to }: BotSpan, hasDocuments: boolean) => [
      ...[botOwner, bot, from, to],
      hasDocuments
    ]
    return BotReports.of({
      days: ({ hasDocuments, ...span }) =>
        storing("BotReports.days")(
          statementAsUser<Row & BotDay>(span.botOwner, text.days, paramsOf(span, hasDocuments))
        ),
      unanswered: ({ hasDocuments, limit, ...span }) =>
        storing("BotReports.unanswered")(
          Effect.map(
            statementAsUser<Row & { chat_id: string; question: string; created_at: Date }>(
              span.botOwner,
              text.unanswered,
              [...paramsOf(span, hasDocuments), limit]
            ),
            (rows) =>
              rows.map(({ chat_id, created_at, question }) => ({
                conversationId: chat_id,
                question,
                at: created_at.getTime()
              }))
          )
        ),
      cited: ({ limit, ...span }) =>
        storing("BotReports.cited")(
          Effect.map(
            statementAsUser<Row & Omit<CitedDocument, "documentId"> & { document_id: string }>(
              span.botOwner,
              text.cited,
              [...paramsOf(span, false), limit]
            ),
            (rows) => rows.map(({ document_id: documentId, filename, replies }) => ({ documentId, filename, replies }))
          )
        )
    })
  })
)
