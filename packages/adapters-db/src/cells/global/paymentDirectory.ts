import type { EventOutcome, StoredPaymentEvent } from "@parley/core/adapter"
import { Effect } from "effect"
import { type StoredWaiting, toWaiting } from "../../billing/paymentRows.ts"
import type { Database, DatabaseError } from "../../database/Database.ts"

/** The owner of references that belong to an erased person. */
export const ERASED_OWNER = "erased:"

/** The person of an event, by the claims of its references and by the id that it contains. */
export interface FoundPayment {
  /** `ERASED_OWNER` for an erased person. */
  readonly owner: string | undefined
  /** The references that belong to other people. */
  readonly others: ReadonlyArray<string>
  /** The outcome of the event in the global database, if it is there as one without an owner. */
  readonly copy: EventOutcome | undefined
}

/** The result of claiming references. */
export interface Claimed {
  /** The references that belong to the person now. */
  readonly granted: ReadonlyArray<string>
  /** Events in the global database that wait for them, oldest first. */
  readonly waiting: ReadonlyArray<StoredPaymentEvent>
  /** True if the event of the claim is in the global database as one without an owner. */
  readonly copied: boolean
}

/** References of one person. */
export interface Claim {
  readonly userId: string
  readonly references: ReadonlyArray<string>
}

/** The owners of payment references over all cells, in the global database. */
interface PaymentClaims {
  /** The owner of the first claimed reference; see `FoundPayment`. */
  ownerOf(
    references: ReadonlyArray<string>,
    claimed: string | undefined
  ): Effect.Effect<string | undefined, DatabaseError>
  /** The owner of each claimed reference. */
  ownersOf(references: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, DatabaseError>
  find(
    eventId: string,
    references: ReadonlyArray<string>,
    claimed: string | undefined
  ): Effect.Effect<FoundPayment, DatabaseError>
  /** Claims references that belong to no person yet. A repetition changes nothing. */
  claim(claims: ReadonlyArray<Claim>, eventId?: string): Effect.Effect<Claimed, DatabaseError>
  /** Makes references those of an erased person. */
  erase(userId: string, references: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
}

/** The events that wait for an owner, in the global database. */
interface WaitingPayments {
  /** As `ownerOf`, and no claim of the references goes on before the transaction around the call ends. */
  hold(references: ReadonlyArray<string>, claimed?: string): Effect.Effect<string | undefined, DatabaseError>
  /** The owner of a claimed reference does not change before the transaction around the call ends. */
  lock(reference: string): Effect.Effect<void, DatabaseError>
  /** Removes events without an owner that were applied in the cell of an owner. */
  drop(eventIds: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  /** Events that wait although one of their references belongs to a person, the oldest first. */
  stranded(limit: number): Effect.Effect<ReadonlyArray<string>, DatabaseError>
}

export type PaymentDirectory = PaymentClaims & WaitingPayments

interface FoundRow extends Record<string, unknown> {
  readonly owner: string | null
  readonly others: ReadonlyArray<string>
  readonly state: EventOutcome["state"] | null
  readonly note: string | null
}

type Statement = Database["Service"]["statement"]

const finding =
  (schema: string, statement: Statement): PaymentDirectory["find"] =>
  (eventId, references, claimed) =>
    Effect.map(
      statement<FoundRow>(
        `SELECT f.owner, e.state, e.note, ARRAY(
           SELECT o.reference FROM ${schema}.payment_owners o
           WHERE o.reference = ANY($2::text[]) AND o.owner IS NOT NULL AND o.owner <> f.owner) AS others
         FROM (SELECT coalesce(${schema}.owner_of_payment($2::text[], $3), $3) AS owner) f
         LEFT JOIN ${schema}.payment_events e ON e.event_id = $1 AND e.owner IS NULL`,
        [eventId, references, claimed ?? null]
      ),
      ([row]) => ({
        owner: row?.owner ?? undefined,
        others: row?.others ?? [],
        copy: row?.state == null ? undefined : { state: row.state, note: row.note ?? "" }
      })
    )

interface StoredClaimed {
  readonly granted: ReadonlyArray<string>
  readonly waiting: ReadonlyArray<StoredWaiting>
  readonly copied: boolean
}

const claiming =
  (schema: string, statement: Statement): PaymentDirectory["claim"] =>
  (claims, eventId) =>
    Effect.map(
      statement<{ readonly answer: StoredClaimed }>(`SELECT ${schema}.claim_payments($1, $2, $3) AS answer`, [
        claims.flatMap(({ references, userId }) => references.map(() => userId)),
        claims.flatMap(({ references }) => references),
        eventId ?? null
      ]),
      ([row]) => {
        const { copied, granted, waiting } = (row as { readonly answer: StoredClaimed }).answer
        return { copied, granted, waiting: waiting.map(toWaiting) }
      }
    )

/** The statements, on the global database. Within a transaction on it they are part of it. */
export const paymentDirectory = ({ schema, statement }: Database["Service"]): PaymentDirectory => {
  const owner = ([row]: ReadonlyArray<{ readonly owner: string | null }>) => row?.owner ?? undefined
  return {
    ownerOf: (references, claimed) =>
      Effect.map(
        statement<{ owner: string | null }>(`SELECT ${schema}.owner_of_payment($1, $2) AS owner`, [
          references,
          claimed ?? null
        ]),
        owner
      ),
    ownersOf: (references) =>
      Effect.map(
        statement<{ reference: string; owner: string }>(
          `SELECT reference, owner FROM ${schema}.payment_owners WHERE reference = ANY($1::text[]) AND owner IS NOT NULL`,
          [references]
        ),
        (rows) => new Map(rows.map((row) => [row.reference, row.owner]))
      ),
    find: finding(schema, statement),
    hold: (references, claimed) =>
      Effect.map(
        statement<{ owner: string | null }>(`SELECT ${schema}.hold_payment($1, $2) AS owner`, [
          references,
          claimed ?? null
        ]),
        owner
      ),
    lock: (reference) =>
      Effect.asVoid(statement(`SELECT FROM ${schema}.payment_owners WHERE reference = $1 FOR SHARE`, [reference])),
    claim: claiming(schema, statement),
    drop: (eventIds) => Effect.asVoid(statement(`SELECT ${schema}.drop_payments($1)`, [eventIds])),
    erase: (userId, references) =>
      Effect.asVoid(statement(`SELECT ${schema}.erase_payments($1, $2)`, [userId, references])),
    stranded: (limit) =>
      Effect.map(
        statement<{ event_id: string }>(
          `SELECT e.event_id FROM ${schema}.payment_events e
           WHERE e.state = 'waiting' AND e.owner IS NULL AND EXISTS (
             SELECT FROM ${schema}.payment_waits w JOIN ${schema}.payment_owners o ON o.reference = w.reference
             WHERE w.event_id = e.event_id AND o.owner IS NOT NULL)
           ORDER BY e.created_at, e.event_id LIMIT $1`,
          [limit]
        ),
        (rows) => rows.map(({ event_id: id }) => id)
      )
  }
}
