import { BillingUpkeep, cursorOf, type Forgotten, pageOf, PersonPosition, positionIn } from "@parley/core/adapter"
import { Effect, Layer, Schema } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { livesHere } from "../storage/leftRows.ts"

interface CreditedRow extends Row {
  readonly user_id: string
  readonly number: number
  readonly session_id: string
  readonly amount: number
}

type Db = Database["Service"]

const stranded =
  ({ schema, statement }: Db): BillingUpkeep["Service"]["stranded"] =>
  (limit) =>
    statement<{ readonly event_id: string }>(
      `SELECT e.event_id FROM ${schema}.payment_events e
       WHERE e.state = 'waiting' AND EXISTS (
         SELECT FROM ${schema}.payment_waits w JOIN ${schema}.payment_references r ON r.reference = w.reference
         WHERE w.event_id = e.event_id AND r.owner IS NOT NULL)
       ORDER BY e.created_at, e.event_id LIMIT $1`,
      [limit]
    ).pipe(
      Effect.map((rows) => rows.map(({ event_id: id }) => id)),
      storing("BillingUpkeep.stranded")
    )

const several =
  ({ schema, statement }: Db): BillingUpkeep["Service"]["several"] =>
  ({ after, limit }) =>
    Effect.suspend(() =>
      statement<{ user_id: string; subscriptions: ReadonlyArray<string> }>(
        `SELECT s.user_id, array_agg(s.subscription_id ORDER BY s.subscription_id) AS subscriptions
       FROM ${schema}.billing_subscriptions s
       WHERE NOT s.facts ? 'endedAt' AND s.facts ?| ARRAY['paid', 'checkout'] AND s.user_id > $1
         AND ${livesHere(schema, "s.user_id")}
       GROUP BY s.user_id HAVING count(*) > 1 ORDER BY s.user_id LIMIT $2`,
        [positionIn(PersonPosition, after)?.[0] ?? "", limit + 1]
      )
    ).pipe(
      Effect.map((rows) => rows.map(({ subscriptions, user_id: userId }) => ({ userId, subscriptions }))),
      Effect.map((rows) => pageOf(rows, limit, ({ userId }) => cursorOf(userId))),
      storing("BillingUpkeep.several")
    )

interface VerifiedRow extends Row {
  readonly user_id: string
  readonly wrong: ReadonlyArray<string>
  /** False for a person whose rows a move left here. */
  readonly here: boolean
}

const people = ({ schema, statement }: Db): BillingUpkeep["Service"]["people"] => {
  const text = `SELECT v.user_id, v.wrong, ${livesHere(schema, "v.user_id")} AS here
    FROM ${schema}.verify_billing($1, $2) v ORDER BY v.user_id`
  /** The next `count` people who live here, read in pages of this size. */
  const read = Effect.fnUntraced(function* (after: string, count: number) {
    const found: Array<VerifiedRow> = []
    for (let [from, isLast] = [after, false]; found.length < count && !isLast;) {
      const rows = yield* statement<VerifiedRow>(text, [from, count])
      found.push(...rows.filter(({ here }) => here))
      from = rows.at(-1)?.user_id ?? from
      isLast = rows.length < count
    }
    return found.slice(0, count)
  })
  return ({ after, limit }) =>
    Effect.suspend(() => read(positionIn(PersonPosition, after)?.[0] ?? "", limit + 1)).pipe(
      Effect.map((rows) => rows.map(({ user_id: userId, wrong }) => ({ userId, altered: wrong }))),
      Effect.map((rows) => pageOf(rows, limit, ({ userId }) => cursorOf(userId))),
      storing("BillingUpkeep.people")
    )
}

/** The position of a ledger row in a list: the user id of its owner, and its number. */
const RowPosition = Schema.Tuple([Schema.String, Schema.Number])

const credited =
  ({ schema, statement }: Db): BillingUpkeep["Service"]["credited"] =>
  ({ after, limit, since }) =>
    Effect.suspend(() =>
      statement<CreditedRow>(
        `SELECT t.user_id, t.number, substr(t.reference, 7) AS session_id, t.amount
       FROM ${schema}.credit_transactions t
       WHERE t.type = 'topup' AND (t.user_id, t.number) > ($1, $2::bigint)
         AND starts_with(t.reference, 'topup:') AND NOT starts_with(t.user_id, 'erased:')
         AND ${livesHere(schema, "t.user_id")}
         AND t.created_at >= to_timestamp($3::float8 / 1000)
       ORDER BY t.user_id, t.number LIMIT $4`,
        [...(positionIn(RowPosition, after) ?? ["", 0]), since, limit + 1]
      )
    ).pipe(
      Effect.map((rows) =>
        rows.map(({ amount, number, session_id: sessionId, user_id: userId }) => ({
          userId,
          number,
          sessionId,
          amount
        }))
      ),
      Effect.map((rows) => pageOf(rows, limit, ({ number, userId }) => cursorOf(userId, number))),
      storing("BillingUpkeep.credited")
    )

const forget =
  ({ schema, statement }: Db): BillingUpkeep["Service"]["forget"] =>
  ({ doneBefore, limit, unmatchedBefore }) =>
    statement<{ readonly answer: Forgotten }>(
      `SELECT ${schema}.forget_payments(
         to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000), $3) AS answer`,
      [doneBefore, unmatchedBefore, limit]
    ).pipe(
      Effect.map(([row]) => (row as { readonly answer: Forgotten }).answer),
      storing("BillingUpkeep.forget")
    )

const make = Effect.map(Database, (database) => {
  const { schema, statement } = database
  return BillingUpkeep.of({
    forget: forget(database),
    caughtUpTo: statement<{ readonly caught_up_to: Date }>(
      `SELECT c.caught_up_to FROM ${schema}.payment_catch_up c`,
      []
    ).pipe(
      Effect.map(([row]) => row?.caught_up_to.getTime()),
      storing("BillingUpkeep.caughtUpTo")
    ),
    noteCaughtUp: (at) =>
      statement(
        `INSERT INTO ${schema}.payment_catch_up AS c (caught_up_to) VALUES (to_timestamp($1::float8 / 1000))
         ON CONFLICT (only_row) DO UPDATE SET caught_up_to = greatest(c.caught_up_to, excluded.caught_up_to)`,
        [at]
      ).pipe(Effect.asVoid, storing("BillingUpkeep.noteCaughtUp")),
    stranded: stranded(database),
    several: several(database),
    people: people(database),
    credited: credited(database)
  })
})

/** The upkeep of payments in Postgres or PGlite. */
export const PgBillingUpkeepLayer: Layer.Layer<BillingUpkeep, never, Database> = Layer.effect(BillingUpkeep, make)
