import { type DayCharges, type DayRevenue, MoneyRecords } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { livesHere } from "../storage/leftRows.ts"

/** Returns an SQL expression for the beginning of a day, which is given as the number of days since 1970-01-01. */
const startOf = (day: string) => `to_timestamp(${day}::float8 * 86400)`

/** Sums charges by day and model. SQL parameters: the first day, the last day. */
const chargesText = (schema: string) => `
  SELECT to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, coalesce(t.model, '') COLLATE "C" AS model,
    count(*)::float8 AS replies, sum(-t.amount)::float8 AS credits
  FROM ${schema}.credit_transactions t
  WHERE t.created_at >= ${startOf("$1")} AND t.created_at < ${startOf("($2 + 1)")} AND t.source IS NOT NULL
    AND ${livesHere(schema, "t.user_id")}
  GROUP BY 1, 2 ORDER BY 1, 2`

/**
 * Sums payments by day and currency. It reads only people with payment events that arrived since the day before the
 * first day: an event arrives after its payment, and the clocks may differ by less than a day. If an invoice paid for
 * several things, its payment counts once. SQL parameters: the first day, the last day.
 */
const revenueText = (schema: string) => `
  WITH payers AS MATERIALIZED (
    SELECT DISTINCT e.owner FROM ${schema}.payment_events e
    WHERE e.received_at >= ${startOf("($1 - 1)")} AND e.owner IS NOT NULL AND e.state = 'applied'
      AND ${livesHere(schema, "e.owner")}
  ), payments AS (
    SELECT p.user_id, p.session_id AS id, p.paid AS amount, p.currency, p.bought_at AS at
    FROM payers o JOIN ${schema}.billing_purchases p ON p.user_id = o.owner
    UNION
    SELECT s.user_id, f.payment ->> 'invoiceId', (f.payment ->> 'amount')::bigint, f.payment ->> 'currency',
      to_timestamp((f.payment ->> 'paidAt')::float8 / 1000)
    FROM payers o JOIN ${schema}.billing_subscriptions s ON s.user_id = o.owner
    CROSS JOIN LATERAL (
      SELECT jsonb_path_query(s.facts, '$.paid.payment') UNION ALL
      SELECT jsonb_path_query(s.facts, '$.earlier.payment') UNION ALL
      SELECT jsonb_path_query(s.facts, '$.changes.payment')
    ) AS f(payment)
  )
  SELECT to_char(p.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, p.currency COLLATE "C" AS currency, count(*)::float8 AS payments,
    sum(p.amount)::float8 AS amount
  FROM payments p
  WHERE p.amount > 0 AND p.at >= ${startOf("$1")} AND p.at < ${startOf("($2 + 1)")}
  GROUP BY 1, 2 ORDER BY 1, 2`

const make = Effect.map(Database, ({ schema, statement }) =>
  MoneyRecords.of({
    charges: ({ firstDay, lastDay }) =>
      storing("MoneyRecords.charges")(statement<DayCharges & Row>(chargesText(schema), [firstDay, lastDay])),
    revenue: ({ firstDay, lastDay }) =>
      storing("MoneyRecords.revenue")(statement<DayRevenue & Row>(revenueText(schema), [firstDay, lastDay]))
  })
)

/** Sums of the ledger and of stored payments, in Postgres or PGlite. */
export const PgMoneyRecordsLayer: Layer.Layer<MoneyRecords, never, Database> = Layer.effect(MoneyRecords, make)
