import {
  decideAll,
  type EventOutcome,
  type FollowedPlan,
  isDone,
  keysOf,
  type LedgerAccount,
  NO_ACCOUNT,
  type PaymentSteps,
  type PlainPayment
} from "@parley/core/adapter"
import { Effect, Exit, Result } from "effect"
import { accountOfRow, type JsonRow, type AccountWrite, creditLists } from "../credits/ledgerRows.ts"
import { coalesce } from "../credits/coalesce.ts"
import { DATABASE_NOW, type LedgerTime } from "../credits/LedgerClock.ts"
import type { Database, Row } from "../database/Database.ts"
import { forPurpose } from "../database/limits.ts"
import { type ConcludedPayment, paymentLists } from "./paymentRows.ts"
import { matched, type StoredAccount } from "./storedAccount.ts"

/** Events in one transaction at most, and transactions under way at once. */
const MAX_BATCH = 64
const MAX_IN_FLIGHT = 2
/** Tries to write a batch, each without the people who have changed. */
const MAX_WRITES = 2
const TIMEOUT = "30 seconds"

/** An event, and the moment of its call if the caller sets the time. */
interface Call {
  readonly payment: PlainPayment
  readonly at: string | null
}

/** The row read for an event. */
interface FoundRow extends Row {
  readonly account: JsonRow | null
  readonly place: number
  readonly state: EventOutcome["state"] | null
  readonly note: string
  readonly person: string | null
  readonly known: StoredAccount | null
  readonly known_version: number
  readonly now: number
}

/** A decided event, with the versions from which it was decided. */
interface DecidedPayment extends ConcludedPayment {
  readonly place: number
  readonly person: string
  /** The version of the person's billing row. */
  readonly version: number
  /** The version of the credit account; null if no operation runs on it. */
  readonly creditVersion: number | null
  /** Keys and charges that are assumed to be unused. */
  readonly keys: ReadonlyArray<string>
  readonly charges: ReadonlyArray<string>
  readonly credits: AccountWrite | undefined
}

/** Decides operations on one account, assuming that all are new; undefined if the ledger refuses one. */
const decideCredits = ({ conclude, operations }: PaymentSteps, account: LedgerAccount | undefined, now: number) => {
  const keys = operations.flatMap(keysOf)
  const charges = operations.flatMap(({ reads }) => reads.charge ?? [])
  const { answers, changes } = decideAll({ ...NO_ACCOUNT, account }, operations, now)
  if (
    !answers.every(Result.isSuccess) ||
    (changes !== undefined && changes.opened.length + changes.closed.length > 0)
  ) {
    return undefined
  }
  const conclusion = conclude(answers.map(({ success }) => success as FollowedPlan))
  return { conclusion, keys, charges, credits: changes && { changes, seen: account, unseen: [] } }
}

const decidePlain = ({ at, payment }: Call, row: FoundRow, now: number): DecidedPayment | undefined => {
  const { known, known_version: version, person, place } = row
  if (known === null || person === null) return undefined
  const steps = payment.decide(matched(known, now))
  if (steps === undefined) return undefined
  const account = row.account === null ? undefined : accountOfRow(row.account)
  const decided = decideCredits(steps, account, now)
  const creditVersion = steps.operations.length === 0 ? null : (account?.version ?? null)
  return decided && { ...decided, place, receivedAt: at, person, version, creditVersion }
}

/** Reads, without a lock, the stored facts of the people of some events. */
const load = ({ schema, statement }: Database["Service"], batch: ReadonlyArray<Call>) =>
  statement<FoundRow>(
    `SELECT p.place, p.state, p.note, p.person, p.version AS known_version, p.known, ${DATABASE_NOW} AS now,
       to_json(p.account) AS account
     FROM ${schema}.read_payments($1) p ORDER BY p.place`,
    [
      JSON.stringify(
        batch.map(({ payment: { bought, claimed, event, references } }, place) => ({
          place,
          id: event.id,
          refs: references,
          claimed,
          session: bought.sessionId,
          payment: bought.paymentId
        }))
      )
    ]
  )

/** Claims the links of decided events where that is asked for. Leaves out an event for whose links others wait. */
const claimLinks = Effect.fnUntraced(function* (decided: ReadonlyArray<DecidedPayment>, batch: ReadonlyArray<Call>) {
  const claimed = yield* Effect.forEach(
    decided,
    (one) => {
      const { claim } = (batch[one.place] as Call).payment
      const { conclusion } = one
      if (claim === undefined || conclusion.links.length === 0) return Effect.succeed(one)
      return Effect.map(claim(conclusion.links), (links) => links && { ...one, conclusion: { ...conclusion, links } })
    },
    { concurrency: "unbounded" }
  )
  return claimed.filter((one) => one !== undefined)
})

/** Writes decided events, all or none. Returns the people who have changed since the read: nothing is written then. */
const write = Effect.fnUntraced(function* (
  { schema, statement }: Database["Service"],
  decided: ReadonlyArray<DecidedPayment>,
  decidedAt: number | null
) {
  const { accounts, purchases, records, seen, summed, transactions } = creditLists(
    decided.flatMap(({ credits }) => credits ?? [])
  )
  const [row] = yield* statement<{ readonly changed: ReadonlyArray<string> }>(
    `SELECT ${schema}.apply_payments(
       $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) AS changed`,
    [
      decided.map(({ conclusion }) => conclusion.event.id),
      decided.map(({ person }) => person),
      decided.map(({ version }) => version),
      decided.map(({ creditVersion }) => creditVersion),
      decided.flatMap(({ keys, person }) => keys.map(() => person)),
      decided.flatMap(({ keys }) => keys),
      decided.flatMap(({ charges, person }) => charges.map(() => person)),
      decided.flatMap(({ charges }) => charges),
      ...paymentLists(decided),
      accounts,
      seen,
      transactions,
      records,
      purchases,
      summed,
      decidedAt
    ]
  )
  return new Set(row?.changed)
})

/** Applies a batch, and returns the outcomes; undefined for an event that must be applied alone. */
const applyBatch = Effect.fnUntraced(function* (
  database: Database["Service"],
  time: LedgerTime,
  batch: ReadonlyArray<Call>
) {
  const outcomes: Array<EventOutcome | undefined> = batch.map(() => undefined)
  const rows = yield* load(database, batch)
  const read = Math.floor(rows[0]?.now ?? 0)
  const people = new Set<string>()
  let decided: Array<DecidedPayment> = []
  for (const row of rows) {
    const { note, person, place, state } = row
    if (state !== null && isDone(state)) outcomes[place] = { state, note }
    if (state !== null || person === null || people.has(person)) continue
    people.add(person)
    // A defect affects only its own event, which meets it again alone.
    const call = batch[place] as Call
    const now = call.at === null ? read : Date.parse(call.at)
    const plain = yield* Effect.exit(Effect.sync(() => decidePlain(call, row, now)))
    if (Exit.isSuccess(plain) && plain.value !== undefined) decided.push(plain.value)
  }
  decided = yield* claimLinks(decided, batch)
  for (let tries = 0; tries < MAX_WRITES && decided.length > 0; tries += 1) {
    const changed = yield* write(database, decided, time.decidedAt(read))
    if (changed.size === 0) {
      for (const { conclusion, place } of decided) outcomes[place] = conclusion.outcome
      break
    }
    decided = decided.filter(({ person }) => !changed.has(person))
  }
  return outcomes
})

/**
 * Returns the function that applies one event. Events of different people that arrive at the same time share a transaction of
 * two statements: one reads without a lock, and one writes if everything is still as it was read. Copies that arrive at once,
 * further events of one person, events that the ledger refuses, and a batch whose statement fails are left to the caller,
 * who applies them alone.
 */
export const applyPayments = (
  database: Database["Service"],
  time: LedgerTime
): ((payment: PlainPayment) => Effect.Effect<EventOutcome | undefined>) => {
  const together = coalesce<Call, EventOutcome | undefined, never>({
    laneOf: ({ payment: { claimed, event, references } }) => claimed ?? references[0] ?? event.id,
    run: (batch) =>
      applyBatch(database, time, batch).pipe(
        forPurpose("commit"),
        Effect.timeout(TIMEOUT),
        Effect.catchCause((cause) =>
          Effect.as(
            Effect.logDebug("Events of the payment provider are applied one by one.", cause),
            batch.map(() => undefined)
          )
        ),
        Effect.map((outcomes) => outcomes.map((outcome) => Exit.succeed(outcome)))
      ),
    contend: () => Effect.succeed([]),
    maxBatch: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT
  })
  return (payment) =>
    Effect.flatMap(database.inTransaction, (joins) =>
      joins ? Effect.succeed(undefined) : Effect.flatMap(time.given, (at) => together({ payment, at }))
    )
}
