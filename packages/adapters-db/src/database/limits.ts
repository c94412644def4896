import { Context, Effect } from "effect"

/** The time limits for database work of one purpose, in milliseconds. */
export interface Limits {
  /** Time limit of a statement: the server ends it after this long, and the client gives up on it a little later. */
  readonly statementMs: number
  /** The longest time that a statement waits for one lock. */
  readonly lockMs: number
  /**
   * The server ends a transaction after its client has been silent for this long, which frees the transaction's locks.
   */
  readonly silenceMs: number
  /**
   * True if a single statement is sent without the settings that limit it in the server. Such a statement sets its own
   * limits, as `write_credits` and `begin_turn` do, or waits for no lock.
   */
  readonly alone: boolean
}

/**
 * The one place that defines the time limits of the database. Every statement, script and transaction has one of these
 * purposes; `interactive` by default.
 *
 * - `interactive`: a person waits for a page or for the first word of a reply.
 * - `turn`: messages of a chat are stored while the reader waits.
 * - `commit`: credits are written. A statement concerns the accounts of many people, so its limit for locks is short,
 * and the
 *   server soon ends the transaction of a silent process to free its locks.
 * - `maintenance`: sweeps, heartbeats and resets change sets of rows; locked rows are left for the next run.
 * - `documents`: files and passages of megabytes are written or read.
 * - `jobs`: the job queue runs its own statements.
 * - `audit`: the verification reads whole ledgers.
 * - `schema`: migrations run, and wait for those of other processes.
 * - `building`: an index over embeddings is built, or a copy is made, while other work continues.
 */
export const LIMITS = {
  interactive: { statementMs: 10_000, lockMs: 3_000, silenceMs: 5_000, alone: false },
  turn: { statementMs: 10_000, lockMs: 3_000, silenceMs: 5_000, alone: true },
  commit: { statementMs: 5_000, lockMs: 500, silenceMs: 2_000, alone: true },
  maintenance: { statementMs: 30_000, lockMs: 1_000, silenceMs: 2_000, alone: false },
  documents: { statementMs: 60_000, lockMs: 10_000, silenceMs: 15_000, alone: false },
  jobs: { statementMs: 30_000, lockMs: 10_000, silenceMs: 15_000, alone: false },
  audit: { statementMs: 600_000, lockMs: 5_000, silenceMs: 5_000, alone: false },
  schema: { statementMs: 3_600_000, lockMs: 600_000, silenceMs: 600_000, alone: false },
  building: { statementMs: 172_800_000, lockMs: 600_000, silenceMs: 600_000, alone: false }
} as const satisfies Record<string, Limits>

export type Purpose = keyof typeof LIMITS

/** The time limits of each purpose, as a driver receives them. */
export type LimitsPolicy = Readonly<Record<Purpose, Limits>>

/** The client's limit is longer than the server's by this time, within which the server's answer can arrive. */
export const ANSWER_GRACE_MS = 2_000

/** Time within which an interrupted statement may still end before it is cancelled. */
export const INTERRUPT_GRACE_MS = 1_000

/** Time limit of a cancel request; after it the connection is closed even if the request has no answer. */
export const CANCEL_MS = 1_000

/** Default time limit for opening a connection, and for waiting for a free one. */
export const CONNECT_MS = 10_000

/** Longest time that closing a pool waits for its connections to end. */
export const CLOSE_MS = 3_000

/** The system probes the other side of a socket after this much silence; ten probes follow, one second apart. */
export const KEEPALIVE_MS = 10_000

/** The purpose for which the current fiber uses the database. A transaction keeps the purpose with which it began. */
export const CurrentPurpose = Context.Reference<Purpose>("@parley/adapters-db/database/CurrentPurpose", {
  defaultValue: () => "interactive"
})

/** Applies the time limits of `purpose` to all database calls of `work`. */
export const forPurpose =
  (purpose: Purpose) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, CurrentPurpose, purpose)
