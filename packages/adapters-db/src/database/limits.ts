import { Context, Effect } from "effect"

/** Time limits of the database for one purpose. Milliseconds. */
export interface Limits {
  /** Time limit of a statement: the server ends it after this long, and the client gives up on it a little later. */
  readonly statementMs: number
  /** A statement waits this long for one lock. */
  readonly lockMs: number
  /** A transaction whose client says nothing for this long is ended by the server, which frees its locks. */
  readonly silenceMs: number
  /**
   * A statement outside a transaction is sent as it is, without the settings that bound it in the server: it takes its
   * own bounds with it, as `write_credits` and `begin_turn` do, or waits for no lock.
   */
  readonly alone: boolean
}

/**
 * The one place that defines the time limits of the database. Every statement, script and transaction belongs to one of
 * these purposes; `interactive` by default.
 *
 * - `interactive`: a person waits for a page or a first word.
 * - `turn`: messages of a chat are stored while their reader waits.
 * - `commit`: credits are written. Accounts of many people share a statement, so its limit for locks is short, and the
 *   server soon takes the locks of a silent process away.
 * - `maintenance`: sweeps, heartbeats and resets: sets of rows, of which locked ones are left for the next time.
 * - `documents`: megabytes of files and passages.
 * - `jobs`: statements of the job queue itself.
 * - `audit`: verification reads whole ledgers.
 * - `schema`: migrations, which wait for those of other processes.
 * - `building`: an index over embeddings, beside all other work.
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

/** Limits by purpose, for a driver. */
export type LimitsPolicy = Readonly<Record<Purpose, Limits>>

/** Time between the server's own limit and the client's: an answer may need it to arrive. */
export const ANSWER_GRACE_MS = 2_000

/** Time that an interrupted statement has before it is cancelled. */
export const INTERRUPT_GRACE_MS = 1_000

/** Time limit of a cancel request; afterwards the connection is dropped without it. */
export const CANCEL_MS = 1_000

/** Time limit for opening a connection, and for waiting for a free one, unless configured. */
export const CONNECT_MS = 10_000

/** Longest time that closing a pool waits for its connections to end. */
export const CLOSE_MS = 3_000

/** Silence on a socket until the system asks whether the other side is still there; ten questions follow, a second apart. */
export const KEEPALIVE_MS = 10_000

/** The current purpose of using the database. A transaction keeps the purpose with which it began. */
export const CurrentPurpose = Context.Reference<Purpose>("@parley/adapters-db/database/CurrentPurpose", {
  defaultValue: () => "interactive"
})

/** Has everything that `work` asks of the database bounded by the limits of `purpose`. */
export const forPurpose =
  (purpose: Purpose) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, CurrentPurpose, purpose)
