import type { EventOutcome, StoredPaymentEvent } from "@parley/core/adapter"
import { Effect } from "effect"
import { type StoredWaiting, toWaiting } from "../../billing/paymentRows.ts"
import type { Database, DatabaseError } from "../../database/Database.ts"

/** The owner of references that belong to an erased person. */
export const ERASED_OWNER = "erased:"

const EVENT = "event:"

/** The name under which an event itself is claimed. */
export const eventReference = (eventId: string): string => `${EVENT}${eventId}`

/** The event of such a reference; none for any other one. */
export const eventOf = (reference: string): ReadonlyArray<string> =>
  reference.startsWith(EVENT) ? [reference.slice(EVENT.length)] : []

const CUSTOMER = "customer:"

/** The reference of a customer. */
export const customerReference = (customerId: string): string => `${CUSTOMER}${customerId}`

/** The customer of such a reference. */
export const customerOf = (reference: string): string => reference.slice(CUSTOMER.length)

/** The claim of a customer by an import, which the owner's cell may not have yet. */
export interface ImportClaim {
  readonly reference: string
  /** Unix milliseconds: the moment of the imported balance. */
  readonly at: number
}

/** The person to whom an event belongs for good, by its own claim, those of its references, and the id that it contains. */
export interface TakenPayment {
  /** `ERASED_OWNER` for an erased person. */
  readonly owner: string | undefined
  /** The references that belong to other people. */
  readonly others: ReadonlyArray<string>
  /** The outcome of the event in the global database, if it is there as one without an owner. */
  readonly copy: EventOutcome | undefined
  readonly imported: ImportClaim | undefined
}

/** An event that is to be applied. */
export interface PaymentNames {
  readonly eventId: string
  readonly references: ReadonlyArray<string>
  /** The person whose id the event contains. */
  readonly claimed: string | undefined
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

/** A customer's reference that an import claims, and the moment of the balance. */
export interface ImportedCustomer extends ImportClaim {
  readonly userId: string
}

/** The owners of payment references over all cells, in the global database. */
interface PaymentClaims {
  /** The owner of the first claimed reference; `ERASED_OWNER` for an erased person. */
  ownerOf(
    references: ReadonlyArray<string>,
    claimed: string | undefined
  ): Effect.Effect<string | undefined, DatabaseError>
  /** The owner of each claimed reference. */
  ownersOf(references: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, DatabaseError>
  /** All references that a person has claimed. */
  claimsOf(userId: string): Effect.Effect<ReadonlyArray<string>, DatabaseError>
  /**
   * Decides to which person an event belongs, before it is applied. If a later claim of a reference could change this person,
   * the call claims the event too, and later claims do not change the person any more. If `person` is given, the call claims
   * the event for no other person.
   */
  take(names: PaymentNames, person?: string): Effect.Effect<TakenPayment, DatabaseError>
  /** Claims references that belong to no person yet. A repetition changes nothing. */
  claim(claims: ReadonlyArray<Claim>, eventId?: string): Effect.Effect<Claimed, DatabaseError>
  /** The same for an import: each claim keeps the moment of the imported balance. */
  claimImports(claims: ReadonlyArray<ImportedCustomer>): Effect.Effect<Claimed, DatabaseError>
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

interface StoredTaken {
  readonly owner: string | null
  readonly others: ReadonlyArray<string>
  readonly copy: EventOutcome | null
  readonly imported: ImportClaim | null
}

type Statement = Database["Service"]["statement"]

const taking =
  (schema: string, statement: Statement): PaymentDirectory["take"] =>
  ({ claimed, eventId, references }, person) =>
    Effect.map(
      statement<{ readonly answer: StoredTaken }>(`SELECT ${schema}.take_payment($1, $2, $3, $4) AS answer`, [
        eventId,
        references,
        claimed ?? null,
        person ?? null
      ]),
      ([row]) => {
        const { copy, imported, others, owner } = (row as { readonly answer: StoredTaken }).answer
        return { owner: owner ?? undefined, others, copy: copy ?? undefined, imported: imported ?? undefined }
      }
    )

interface StoredClaimed {
  readonly granted: ReadonlyArray<string>
  readonly waiting: ReadonlyArray<StoredWaiting>
  readonly copied: boolean
}

const toClaimed = ([row]: ReadonlyArray<{ readonly answer: StoredClaimed }>): Claimed => {
  const { copied, granted, waiting } = (row as { readonly answer: StoredClaimed }).answer
  return { copied, granted, waiting: waiting.map(toWaiting) }
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
      toClaimed
    )

const ownerIn = ([row]: ReadonlyArray<{ readonly owner: string | null }>): string | undefined => row?.owner ?? undefined

const owning = (schema: string, statement: Statement): Pick<PaymentDirectory, "claimsOf" | "ownerOf" | "ownersOf"> => ({
  ownerOf: (references, claimed) =>
    Effect.map(
      statement<{ owner: string | null }>(`SELECT ${schema}.owner_of_payment($1, $2) AS owner`, [
        references,
        claimed ?? null
      ]),
      ownerIn
    ),
  ownersOf: (references) =>
    Effect.map(
      statement<{ reference: string; owner: string }>(
        `SELECT reference, owner FROM ${schema}.payment_owners WHERE reference = ANY($1::text[]) AND owner IS NOT NULL`,
        [references]
      ),
      (rows) => new Map(rows.map((row) => [row.reference, row.owner]))
    ),
  claimsOf: (userId) =>
    Effect.map(
      statement<{ reference: string }>(
        `SELECT reference FROM ${schema}.payment_owners WHERE owner = $1 AND owner <> '${ERASED_OWNER}'`,
        [userId]
      ),
      (rows) => rows.map(({ reference }) => reference)
    )
})

/** The statements, on the global database. Within a transaction on it they are part of it. */
export const paymentDirectory = ({ schema, statement }: Database["Service"]): PaymentDirectory => ({
  ...owning(schema, statement),
  take: taking(schema, statement),
  hold: (references, claimed) =>
    Effect.map(
      statement<{ owner: string | null }>(`SELECT ${schema}.hold_payment($1, $2) AS owner`, [
        references,
        claimed ?? null
      ]),
      ownerIn
    ),
  lock: (reference) =>
    Effect.asVoid(statement(`SELECT FROM ${schema}.payment_owners WHERE reference = $1 FOR SHARE`, [reference])),
  claim: claiming(schema, statement),
  claimImports: (claims) =>
    Effect.map(
      statement<{ readonly answer: StoredClaimed }>(`SELECT ${schema}.claim_imports($1, $2, $3) AS answer`, [
        claims.map(({ userId }) => userId),
        claims.map(({ reference }) => reference),
        claims.map(({ at }) => at)
      ]),
      toClaimed
    ),
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
})
