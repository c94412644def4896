import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"

/** The names under which a person is known outside of their cell. */
export interface KnownNames {
  readonly references: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly eventIds: ReadonlyArray<string>
}

/** Rows of `payment_events` and `payment_waits` as JSON. */
export interface OwnerlessEvents {
  readonly events: string
  readonly waits: string
}

export interface LinkedReference extends Record<string, unknown> {
  readonly name: string
  readonly owner: string
}

export interface LinkedKey extends LinkedReference {
  readonly botId: string
}

/** Rows of one cell that the stores' ports do not return. */
export interface CellRows {
  namesOf(userId: string): Effect.Effect<KnownNames, DatabaseError>
  /** Locks the payments of people until the transaction around the call ends. */
  lock(people: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  /** Those of the references that have an owner in this cell. */
  linked(references: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, DatabaseError>
  /** Those of the references that belong to an erased person in this cell. */
  erased(references: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, DatabaseError>
  /** Those of the events that have no owner, and the references for which they wait. */
  ownerless(eventIds: ReadonlyArray<string>): Effect.Effect<OwnerlessEvents, DatabaseError>
  /** A page of the ids of events that have no owner. */
  ownerlessIds(after: string): Effect.Effect<ReadonlyArray<string>, DatabaseError>
  drop(eventIds: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  references(after: string): Effect.Effect<ReadonlyArray<LinkedReference>, DatabaseError>
  keys(after: string): Effect.Effect<ReadonlyArray<LinkedKey>, DatabaseError>
}

/** The rows of a page of `references` and `keys`. */
export const NAMES_AT_ONCE = 5_000

type Db = Database["Service"]

const personRows = ({
  schema,
  statement
}: Db): Pick<CellRows, "drop" | "erased" | "linked" | "lock" | "namesOf" | "ownerless"> => ({
  namesOf: (userId) =>
    Effect.map(
      statement<KnownNames & Record<string, unknown>>(
        `SELECT ARRAY(SELECT r.reference FROM ${schema}.payment_references r WHERE r.owner = $1) AS references,
           ARRAY(SELECT k.key FROM ${schema}.bot_keys k WHERE k.user_id = $1) AS keys,
           ARRAY(SELECT e.event_id FROM ${schema}.payment_events e WHERE e.owner = $1) AS "eventIds"`,
        [userId]
      ),
      ([row]) => row ?? { references: [], keys: [], eventIds: [] }
    ),
  lock: (people) =>
    Effect.asVoid(
      statement(
        `SELECT ${schema}.lock_payments(l.person)
         FROM (SELECT p.person FROM unnest($1::text[]) AS p(person) ORDER BY p.person COLLATE "C") l`,
        [people]
      )
    ),
  linked: (references) =>
    Effect.map(
      statement<{ reference: string }>(
        `SELECT r.reference FROM ${schema}.payment_references r
         WHERE r.reference = ANY($1::text[]) AND r.owner IS NOT NULL`,
        [references]
      ),
      (rows) => rows.map(({ reference }) => reference)
    ),
  erased: (references) =>
    Effect.map(
      statement<{ reference: string }>(
        `SELECT r.reference FROM ${schema}.payment_references r
         WHERE r.owner = 'erased:' AND r.reference = ANY($1::text[])`,
        [references]
      ),
      (rows) => rows.map(({ reference }) => reference)
    ),
  ownerless: (eventIds) =>
    Effect.map(
      statement<OwnerlessEvents & Record<string, unknown>>(
        `WITH ownerless AS (
           SELECT e.* FROM ${schema}.payment_events e WHERE e.event_id = ANY($1::text[]) AND e.owner IS NULL)
         SELECT (SELECT coalesce(json_agg(o), '[]') FROM ownerless o)::text AS events, (
           SELECT coalesce(json_agg(w), '[]') FROM ${schema}.payment_waits w
           WHERE w.event_id IN (SELECT o.event_id FROM ownerless o))::text AS waits`,
        [eventIds]
      ),
      ([row]) => row ?? { events: "[]", waits: "[]" }
    ),
  drop: (eventIds) => Effect.asVoid(statement(`SELECT ${schema}.drop_payments($1)`, [eventIds]))
})

const listedRows = ({ schema, statement }: Db): Pick<CellRows, "keys" | "ownerlessIds" | "references"> => ({
  ownerlessIds: (after) =>
    Effect.map(
      statement<{ id: string }>(
        `SELECT e.event_id AS id FROM ${schema}.payment_events e WHERE e.owner IS NULL AND e.event_id > $1
         ORDER BY e.event_id LIMIT ${NAMES_AT_ONCE}`,
        [after]
      ),
      (rows) => rows.map(({ id }) => id)
    ),
  references: (after) =>
    statement<LinkedReference>(
      `SELECT r.reference AS name, r.owner FROM ${schema}.payment_references r
       WHERE r.owner IS NOT NULL AND r.reference > $1 ORDER BY r.reference LIMIT ${NAMES_AT_ONCE}`,
      [after]
    ),
  keys: (after) =>
    statement<LinkedKey>(
      `SELECT k.key AS name, k.user_id AS owner, k.bot_id AS "botId" FROM ${schema}.bot_keys k
       WHERE k.key > $1 COLLATE "C" ORDER BY k.key LIMIT ${NAMES_AT_ONCE}`,
      [after]
    )
})

/** The statements, on the database of a cell. */
export const cellRows = (database: Db): CellRows => ({ ...personRows(database), ...listedRows(database) })
