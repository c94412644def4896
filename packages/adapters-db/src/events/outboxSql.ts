import {
  COUNTED_DELIVERIES,
  FEED,
  FORGET_DESTINATION_MS,
  FORGET_TYPE_MS,
  KEEP_DEAD_MS,
  KEEP_DELIVERED_MS
} from "@parley/core/adapter"
import { isWritable, livesHere } from "../storage/leftRows.ts"

const ago = (milliseconds: number): string => `now() - ${milliseconds} * interval '1 millisecond'`

/**
 * Stores the destinations of a process, in the order of their ids to avoid deadlocks. SQL parameters: the destinations
 * as JSON; the thresholds of low balances by tier, or null. If thresholds are given, it also removes the thresholds of
 * other destinations that no process has renewed for `FORGET_TYPE_MS`.
 */
const subscribe = (schema: string) => `WITH left_ones AS MATERIALIZED (
      SELECT d.id FROM ${schema}.event_destinations d
      WHERE $2::jsonb IS NOT NULL AND d.low_below IS NOT NULL AND d.seen_at < ${ago(FORGET_TYPE_MS)}
        AND EXISTS (SELECT FROM json_to_recordset($1::json) AS g(types text[]) WHERE 'balance.low' = ANY(g.types))
        AND d.id NOT IN (SELECT g.id FROM json_to_recordset($1::json) AS g(id text))
      FOR UPDATE SKIP LOCKED
    ), without AS (
      UPDATE ${schema}.event_destinations d SET low_below = NULL FROM left_ones l WHERE d.id = l.id
    )
    INSERT INTO ${schema}.event_destinations AS d (id, asked_at, low_below)
    SELECT g.id, (SELECT coalesce(jsonb_object_agg(type, now()), '{}') FROM unnest(g.types) AS type),
      CASE WHEN 'balance.low' = ANY(g.types) THEN (
        SELECT jsonb_object_agg(tier, jsonb_build_object(threshold, now())) FROM jsonb_each_text($2::jsonb) AS t (tier, threshold)
      ) END
    FROM json_to_recordset($1::json) AS g(id text, types text[]) ORDER BY g.id
    ON CONFLICT (id) DO UPDATE SET seen_at = now(),
      asked_at = excluded.asked_at || (
        SELECT coalesce(jsonb_object_agg(type, at), '{}') FROM jsonb_each_text(d.asked_at) AS asked (type, at)
        WHERE NOT excluded.asked_at ? type AND at::timestamptz >= ${ago(FORGET_TYPE_MS)}
      ),
      low_below = (
        SELECT jsonb_object_agg(l.tier, l.asked) FROM (
          SELECT each.tier, jsonb_object_agg(each.threshold, each.at) AS asked FROM (
            SELECT g.tier, a.threshold, max(a.at::timestamptz) AS at
            FROM (SELECT * FROM jsonb_each(d.low_below) UNION ALL SELECT * FROM jsonb_each(excluded.low_below)) AS g (tier, given)
            CROSS JOIN LATERAL jsonb_each_text(g.given) AS a (threshold, at)
            WHERE a.at::timestamptz >= ${ago(FORGET_TYPE_MS)} GROUP BY g.tier, a.threshold
          ) each GROUP BY each.tier
        ) l
      )`

/** The SQL statements that deliver events. Each is one transaction, and skips rows that another process has locked. */
export const outboxSql = (schema: string) => ({
  subscribe: subscribe(schema),

  /**
   * Stores a delivery of an event for each destination that wants its type. SQL parameters: owner, type, time in Unix
   * milliseconds, data as JSON.
   */
  publish: `INSERT INTO ${schema}.event_deliveries (user_id, event_id, destination, type, created_at, data)
    SELECT $1, e.id, d.id, $2::text, to_timestamp($3::float8 / 1000), $4::jsonb
    FROM (SELECT ${schema}.new_event_id() AS id OFFSET 0) e
    JOIN ${schema}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? $2::text`,

  /**
   * Claims due deliveries. SQL parameters: destination, the most deliveries, the name of the claim, its length in
   * milliseconds.
   */
  claim: `WITH due AS MATERIALIZED (
      SELECT user_id, event_id FROM ${schema}.event_deliveries
      WHERE destination = $1 AND state = 'pending' AND due_at <= now() AND ${isWritable(schema, "user_id")}
        AND NOT EXISTS (SELECT FROM ${schema}.event_destinations WHERE id = $1 AND disabled_at IS NOT NULL)
      ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE ${schema}.event_deliveries d
    SET tries = d.tries + 1, claim = $3, due_at = now() + $4::float8 * interval '1 millisecond'
    FROM due WHERE d.user_id = due.user_id AND d.event_id = due.event_id AND d.destination = $1
    RETURNING d.user_id, d.event_id, d.type, d.created_at, d.data, d.tries, d.traceparent`,

  /**
   * Stores the result of a try. The condition `ended_at IS NULL` follows from the state, but without it the planner
   * might use the index of pending rows, because of statistics from a time when no row was pending. SQL parameters:
   * owner, event, destination, claim, new state, milliseconds until the next try, reason.
   */
  conclude: `UPDATE ${schema}.event_deliveries
    SET state = $5, ended_at = CASE WHEN $5 <> 'pending' THEN now() END, claim = NULL, reason = $7,
      due_at = now() + $6::float8 * interval '1 millisecond'
    WHERE user_id = $1 AND event_id = $2 AND destination = $3 AND ended_at IS NULL AND ($5 = 'delivered' OR claim = $4)`,

  /** Disables a destination, and ends its pending deliveries. SQL parameter: the destination. */
  disable: `WITH disabled AS (
      UPDATE ${schema}.event_destinations SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1
    )
    UPDATE ${schema}.event_deliveries SET state = 'dead', ended_at = now(), claim = NULL, reason = 'gone'
    WHERE destination = $1 AND state = 'pending' AND ${isWritable(schema, "user_id")}`,

  /** Deletes old destinations and deliveries. SQL parameter: the most deliveries to delete. */
  prune: `WITH forgotten AS (
      DELETE FROM ${schema}.event_destinations WHERE seen_at < ${ago(FORGET_DESTINATION_MS)}
    ), old AS MATERIALIZED (
      (SELECT user_id, event_id, destination FROM ${schema}.event_deliveries
        WHERE state = 'delivered' AND ended_at < ${ago(KEEP_DELIVERED_MS)} AND ${isWritable(schema, "user_id")}
        LIMIT $1)
      UNION
      (SELECT user_id, event_id, destination FROM ${schema}.event_deliveries
        WHERE state = 'dead' AND ended_at < ${ago(KEEP_DEAD_MS)} AND ${isWritable(schema, "user_id")}
        LIMIT $1)
      UNION
      (SELECT user_id, event_id, destination FROM ${schema}.event_deliveries
        WHERE state = 'pending' AND due_at < ${ago(FORGET_DESTINATION_MS)} AND (destination = '${FEED}' OR NOT EXISTS (
          SELECT FROM ${schema}.event_destinations d
          WHERE d.id = destination AND d.disabled_at IS NULL AND d.seen_at >= ${ago(FORGET_DESTINATION_MS)}
        )) AND ${isWritable(schema, "user_id")} LIMIT $1)
    ), locked AS (
      SELECT e.user_id, e.event_id, e.destination FROM ${schema}.event_deliveries e
      WHERE (e.user_id, e.event_id, e.destination) IN (SELECT * FROM old) LIMIT $1 FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM ${schema}.event_deliveries e USING locked l
      WHERE e.user_id = l.user_id AND e.event_id = l.event_id AND e.destination = l.destination RETURNING 1
    )
    SELECT count(*) FROM deleted`
})

/** The SQL statements on deliveries for operators, for exports and for readers of the feed. */
export const deliverySql = (schema: string) => ({
  /** Lists deliveries. SQL parameters: the state or null for any, the destination or null for any, limit. */
  list: `SELECT user_id, event_id, destination, type, created_at, state, tries, due_at, ended_at, reason
    FROM ${schema}.event_deliveries
    WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR destination = $2)
      AND ${livesHere(schema, "user_id")}
    ORDER BY created_at DESC, event_id, destination LIMIT $3`,

  /**
   * Lists the deliveries of an account. SQL parameters: the account, the event and the destination of the last delivery
   * on the previous page or nulls, limit.
   */
  ofAccount: `SELECT event_id, type, created_at, data, destination, state FROM ${schema}.event_deliveries
    WHERE user_id = $1 AND ($2::text IS NULL OR (event_id, destination) > ($2, $3))
    ORDER BY event_id, destination LIMIT $4`,

  /** Makes readers of the feed in all processes run one after another. SQL parameter: the name of the schema. */
  lockFeed: `SELECT pg_advisory_xact_lock(hashtextextended($1 || '.event_places', 0))`,

  /** Numbers new events in the order of the feed. SQL parameter: the most events. */
  placeFeed: `WITH unread AS MATERIALIZED (
      SELECT user_id, event_id FROM ${schema}.event_deliveries WHERE destination = '${FEED}' AND place IS NULL
        AND ${isWritable(schema, "user_id")}
      ORDER BY created_at, event_id LIMIT $1
    ), placed AS MATERIALIZED (SELECT user_id, event_id, nextval('${schema}.event_places') AS place FROM unread)
    UPDATE ${schema}.event_deliveries e SET place = p.place FROM placed p
    WHERE e.user_id = p.user_id AND e.event_id = p.event_id AND e.destination = '${FEED}'`,

  /** Reads the feed. SQL parameters: the number after which the page begins, limit. */
  feed: `SELECT e.place::float8 AS place, e.event_id, e.type, e.created_at, e.data FROM ${schema}.event_deliveries e
    WHERE e.destination = '${FEED}' AND e.place > $1::bigint AND ${livesHere(schema, "e.user_id")}
    ORDER BY e.place LIMIT $2`,

  destinations: `SELECT d.id, ARRAY(SELECT jsonb_object_keys(d.asked_at) ORDER BY 1) AS types, d.seen_at, d.disabled_at, p.pending, p.oldest_ms,
      coalesce(n.dead, 0) AS dead FROM ${schema}.event_destinations d
    CROSS JOIN LATERAL (
      SELECT count(*) AS pending, (extract(epoch FROM now() - min(w.created_at)) * 1000)::float8 AS oldest_ms FROM (
        SELECT e.created_at FROM ${schema}.event_deliveries e
        WHERE e.destination = d.id AND e.state = 'pending' AND ${livesHere(schema, "e.user_id")} ORDER BY e.due_at LIMIT ${COUNTED_DELIVERIES}
      ) w
    ) p
    LEFT JOIN (
      SELECT x.destination, count(*) AS dead FROM (
        SELECT e.destination FROM ${schema}.event_deliveries e
        WHERE e.state = 'dead' AND ${livesHere(schema, "e.user_id")} LIMIT ${COUNTED_DELIVERIES}
      ) x GROUP BY x.destination
    ) n ON n.destination = d.id
    ORDER BY d.id`,

  /**
   * Queues dead deliveries again, and enables their destinations. Deliveries of a deleted destination are left out,
   * because no process would try them. SQL parameters: the event or null for any, the destination or null for any.
   */
  retry: `WITH dead AS MATERIALIZED (
      SELECT user_id, event_id, destination FROM ${schema}.event_deliveries
      WHERE state = 'dead' AND ($1::text IS NULL OR event_id = $1) AND ($2::text IS NULL OR destination = $2)
        AND destination IN (SELECT id FROM ${schema}.event_destinations) AND ${isWritable(schema, "user_id")}
      FOR UPDATE
    ), enabled AS (
      UPDATE ${schema}.event_destinations d SET disabled_at = NULL
      WHERE disabled_at IS NOT NULL AND (EXISTS (SELECT FROM dead WHERE dead.destination = d.id)
        OR $1::text IS NULL AND ($2::text IS NULL OR d.id = $2))
    ), retried AS (
      UPDATE ${schema}.event_deliveries e SET state = 'pending', tries = 0, due_at = now(), ended_at = NULL
      FROM dead WHERE e.user_id = dead.user_id AND e.event_id = dead.event_id AND e.destination = dead.destination
      RETURNING 1
    )
    SELECT count(*) FROM retried`
})
