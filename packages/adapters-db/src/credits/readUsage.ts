import type { UsageInput, UsageRow } from "@parley/core"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"

/** Sums are numeric, and so texts; all are within what an account can have spent. */
interface SummedRow extends Row {
  readonly day: string
  readonly source: UsageRow["source"]
  readonly model: string
  readonly replies: string
  readonly credits: string
  readonly input_tokens: string
  readonly output_tokens: string
}

const toUsageRow = (row: SummedRow): UsageRow => ({
  day: row.day,
  source: row.source,
  model: row.model,
  replies: Number(row.replies),
  credits: Number(row.credits),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens)
})

/** What an account used, by day, source and model: from the sums of those days and the transactions not summed yet. */
export const readUsage = (
  { schema, statement }: Database["Service"],
  { userId, firstDay, lastDay }: UsageInput
): Effect.Effect<ReadonlyArray<UsageRow>, DatabaseError> =>
  Effect.map(
    statement<SummedRow>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, source, model, replies, credits, input_tokens, output_tokens
       FROM ${schema}.usage_of($1, $2, $3) ORDER BY 1, 2, 3`,
      [userId, firstDay, lastDay]
    ),
    (rows) => rows.map(toUsageRow)
  )
