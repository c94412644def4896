import {
  type Companion,
  decideAll,
  type Decisions,
  type EndTurn,
  keysOf,
  type LoadedAccount,
  NO_ACCOUNT,
  type Operation,
  type Refusal,
  type Changes,
  type LedgerAccount,
  type OpenHold
} from "@parley/core/adapter"
import { Effect, Exit, Result } from "effect"
import { type Database, DatabaseError, type Row, type Sql } from "../database/Database.ts"
import { DATABASE_NOW, type LedgerTime } from "./LedgerClock.ts"
import { loadAccounts } from "./loadAccounts.ts"
import { type AccountWrite, type TurnEnd, writeChanges } from "./ledgerRows.ts"
import type { Traces } from "../database/traces.ts"

/**
 * Remembers accounts as this process wrote them last, so that the next operations need not read them. A remembered
 * account may be outdated: only a write that compares every remembered value with the stored one may rely on it.
 */
export interface RecentAccounts {
  /** Returns the account with its open holds, if this process seems to be the only one that writes it. */
  recall(userId: string): LoadedAccount | undefined
  /** Records that a decision made from the state `before` was committed in a transaction of its own. */
  written(before: LedgerAccount | undefined, changes: Changes): void
  /** Forgets an account whose remembered values differed from the stored ones, or may have differed. */
  doubt(userId: string): void
}

interface Recent {
  account: LedgerAccount
  readonly holds: Map<string, OpenHold>
  /**
   * False from the first sign of another process that writes the account, until the account is found again as this
   * process left it.
   */
  alone: boolean
}

/** Remembers up to `capacity` accounts. */
export const makeRecentAccounts = (capacity: number): RecentAccounts => {
  /**
   * The accounts by user id. If there are too many, the oldest entry is removed: a missing account costs only one read.
   */
  const accounts = new Map<string, Recent>()
  return {
    recall: (userId) => {
      const recent = accounts.get(userId)
      return recent?.alone === true ? { ...NO_ACCOUNT, account: recent.account, holds: recent.holds } : undefined
    },
    written: (before, { account, opened, closed }) => {
      let known = accounts.get(account.userId)
      if (known === undefined) {
        if (accounts.size === capacity) accounts.delete(accounts.keys().next().value as string)
        known = { account, holds: new Map(), alone: true }
        accounts.set(account.userId, known)
      } else {
        known.alone = known.account.version === before?.version
        if (!known.alone) known.holds.clear()
        known.account = account
      }
      for (const key of closed) known.holds.delete(key)
      for (const open of opened) known.holds.set(open.hold.key, open)
    },
    doubt: (userId) => {
      const known = accounts.get(userId)
      if (known !== undefined) known.alone = false
    }
  }
}

export type AnyOperation = Operation<unknown, Refusal>
/** The answer of an operation, or the failure of its commit. */
export type AnyExit = Exit.Exit<unknown, Refusal | DatabaseError>

/** An operation that has no answer yet, and its place among the operations of the call. */
interface Pending {
  readonly operation: AnyOperation
  readonly index: number
}

const isEndTurn = (companion: Companion): companion is EndTurn => companion._tag === "EndTurn"

/**
 * Returns the ends of replies that are to be stored with these operations, except those whose operation was refused.
 */
const endsOf = (decided: ReadonlyArray<Decided>) => {
  const withChanges: Array<TurnEnd> = []
  /** The ends of replies whose operations change no account. */
  const alone: Array<TurnEnd> = []
  for (const { decisions, group, userId, write } of decided) {
    for (const [place, { operation }] of group.entries()) {
      const answer = decisions.answers[place]
      const { companion: turn } = operation
      if (turn === undefined || answer === undefined || Result.isFailure(answer)) continue
      if (!isEndTurn(turn)) throw new Error(`No ledger writes a companion ${turn._tag}.`)
      if (write === undefined) alone.push({ payer: undefined, turn })
      else withChanges.push({ payer: userId, turn })
    }
  }
  return { alone, withChanges }
}

/** The operations on one account with the decision about them. */
interface Decided {
  readonly userId: string
  readonly group: ReadonlyArray<Pending>
  readonly decisions: Decisions
  readonly write: AccountWrite | undefined
}

/**
 * The most rounds of locking, reading and writing. The accounts stay locked, so a further round is needed only if
 * another process has opened an account meanwhile.
 */
const MAX_ROUNDS = 10

const byAccount = (pending: ReadonlyArray<Pending>): ReadonlyMap<string, ReadonlyArray<Pending>> => {
  const groups = new Map<string, Array<Pending>>()
  for (const one of pending) {
    const group = groups.get(one.operation.userId)
    if (group === undefined) groups.set(one.operation.userId, [one])
    else group.push(one)
  }
  return groups
}

const NONE: ReadonlySet<string> = new Set()

/** Returns, for each account, the trace of its last operation that has a trace. */
const tracesOf = (pending: ReadonlyArray<Pending>): Traces => {
  let traces: Record<string, string> | undefined
  for (const { operation } of pending) {
    if (operation.traceparent !== undefined) (traces ??= {})[operation.userId] = operation.traceparent
  }
  return traces
}

const decide = (
  group: ReadonlyArray<Pending>,
  loaded: LoadedAccount,
  unseen: ReadonlyArray<string>,
  now: number
): Decided => {
  const operations: Array<AnyOperation> = []
  for (const { operation } of group) operations.push(operation)
  const decisions = decideAll(loaded, operations, now)
  const { changes } = decisions
  const write = changes && { changes, seen: loaded.account, unseen }
  return { userId: (group[0] as Pending).operation.userId, group, decisions, write }
}

/**
 * Decides from the remembered account; the write then finds out whether the account was up to date. Returns undefined
 * if the account has to be read: if an operation writes nothing, so that no write would check its answer, or concerns a
 * purchase, because purchases are not remembered.
 */
const decideFromMemory = (
  group: ReadonlyArray<Pending>,
  remembered: LoadedAccount | undefined,
  now: number
): Decided | undefined => {
  if (remembered === undefined) return undefined
  const unseen = new Set<string>()
  for (const { operation } of group) {
    if (operation.reads.charge !== undefined) return undefined
    for (const key of keysOf(operation)) if (!remembered.holds.has(key)) unseen.add(key)
  }
  const decided = decide(group, remembered, [...unseen], now)
  return decided.decisions.allChanged ? decided : undefined
}

/** The time of a decision, the time that the write checks, and the accounts on which the decision may rely. */
interface Grounds {
  readonly now: number
  /** The time that the database compares with its own; null if the database itself returned the time. */
  readonly decidedAt: number | null
  /** The remembered accounts; undefined if accounts are locked and therefore read. */
  readonly recent?: RecentAccounts
  /**
   * The accounts that this transaction has locked; operations on other existing accounts are skipped. If undefined, no
   * operation is skipped.
   */
  readonly locked?: ReadonlySet<string>
}

/**
 * Decides the operations, reads the accounts that are not remembered, and writes the changes. Adds to `answers` the
 * answers of operations that were written or needed no writing. Returns the operations for which nothing was written
 * because their account had changed or is locked.
 */
const decideAndWrite = Effect.fnUntraced(function* (
  query: Sql["query"],
  schema: string,
  pending: ReadonlyArray<Pending>,
  answers: Array<AnyExit | undefined>,
  { now, decidedAt, recent, locked }: Grounds,
  time: LedgerTime
): Effect.fn.Return<ReadonlyArray<Pending>, DatabaseError> {
  const decided: Array<Decided> = []
  const unknown: Array<ReadonlyArray<Pending>> = []
  const missed: Array<Pending> = []
  for (const [userId, group] of byAccount(pending)) {
    const fromMemory = decideFromMemory(group, recent?.recall(userId), now)
    if (fromMemory === undefined) unknown.push(group)
    else decided.push(fromMemory)
  }
  if (unknown.length > 0) {
    const operations = unknown.flat().map(({ operation }) => operation)
    const loaded = yield* loadAccounts(query, schema, operations)
    for (const group of unknown) {
      const { userId } = (group[0] as Pending).operation
      const found = loaded.get(userId) ?? NO_ACCOUNT
      if (found.account !== undefined && locked?.has(userId) === false) missed.push(...group)
      else decided.push(decide(group, found, [], now))
    }
  }
  const writes: Array<AccountWrite> = []
  for (const { write } of decided) if (write !== undefined) writes.push(write)
  const { alone, withChanges } = endsOf(decided)
  if (alone.length > 0) yield* writeChanges(query, schema, [], null, alone)
  const doubtAll = Effect.sync(() => writes.forEach(({ changes }) => recent?.doubt(changes.account.userId)))
  const write = Effect.suspend(() =>
    Effect.onError(writeChanges(query, schema, writes, decidedAt, withChanges, tracesOf(pending)), () => doubtAll)
  )
  const refused = writes.length === 0 ? NONE : (yield* time.learnFrom(write)).missed
  for (const { userId, group, decisions, write } of decided) {
    if (refused.has(userId)) {
      recent?.doubt(userId)
      for (const { operation } of group) operation.onMissed?.()
      missed.push(...group)
      continue
    }
    if (write !== undefined) recent?.written(write.seen, write.changes)
    for (const [place, { index }] of group.entries()) {
      const answer = decisions.answers[place] as Result.Result<unknown, Refusal>
      answers[index] = Result.isSuccess(answer) ? Exit.succeed(answer.success) : Exit.fail(answer.failure)
    }
  }
  return missed
})

const numbered = (operations: ReadonlyArray<AnyOperation>): ReadonlyArray<Pending> =>
  operations.map((operation, index) => ({ operation, index }))

interface LockedRow extends Row {
  readonly now: number
  readonly accounts: ReadonlyArray<string>
}

/**
 * Locks the accounts of `pending`, or only those that no other transaction has locked. Returns the locked accounts, and
 * the database's time after they were locked.
 */
const lockAccounts = (
  query: Sql["query"],
  schema: string,
  pending: ReadonlyArray<Pending>,
  otherwise: "" | "SKIP LOCKED"
) =>
  Effect.map(
    query<LockedRow>(
      `SELECT ${DATABASE_NOW} AS now, l.accounts FROM (
         SELECT coalesce(array_agg(a.user_id), '{}') AS accounts FROM (
           SELECT user_id FROM ${schema}.credit_accounts WHERE user_id = ANY($1::text[])
           ORDER BY user_id COLLATE "C" FOR UPDATE ${otherwise}
         ) a
       ) l`,
      [[...new Set(pending.map(({ operation }) => operation.userId))]]
    ),
    ([row]) => ({ now: row?.now ?? 0, locked: new Set(row?.accounts) })
  )

/**
 * Commits operations on any number of accounts without holding a lock between statements: one statement reads the
 * accounts that `recent` does not remember, and another writes if nothing has changed since then. Each statement is a
 * transaction of its own and waits for no lock. Nothing is written for an account, and its operations have no answer,
 * if the account is locked, if another process has changed it, or if the time assumed by this process differs from the
 * database's. All other operations have exact answers in their order, as if each had been committed alone.
 *
 * Like everything in this file, the commit is safe to repeat as a whole after a lost connection, even if the connection
 * was lost during COMMIT: a committed operation finds its own key and returns its first answer.
 */
export const commitFree = Effect.fnUntraced(function* (
  { schema, statement }: Database["Service"],
  time: LedgerTime,
  operations: ReadonlyArray<AnyOperation>,
  recent: RecentAccounts
): Effect.fn.Return<ReadonlyArray<AnyExit | undefined>, DatabaseError> {
  const answers: Array<AnyExit | undefined> = operations.map(() => undefined)
  const now = yield* time.estimate
  const grounds = { now, decidedAt: time.decidedAt(now), recent }
  yield* decideAndWrite(statement, schema, numbered(operations), answers, grounds, time)
  return answers
})

/**
 * Commits operations on accounts that other processes write as well. In one transaction it locks the free accounts,
 * reads them, decides by the time that the database returned after locking, and writes. Operations on accounts that
 * another process has locked have no answer. If `inLine` is true, it waits for all locks, in the order in which the
 * processes requested them, and fails as a whole if a lock is not free in time.
 */
export const commitContended = (
  database: Database["Service"],
  time: LedgerTime,
  operations: ReadonlyArray<AnyOperation>,
  inLine = false
): Effect.Effect<ReadonlyArray<AnyExit | undefined>, DatabaseError> =>
  database.asService(({ query }) =>
    Effect.gen(function* () {
      const { schema } = database
      const pending = numbered(operations)
      const answers: Array<AnyExit | undefined> = operations.map(() => undefined)
      const { now, locked } = yield* lockAccounts(query, schema, pending, inLine ? "" : "SKIP LOCKED")
      const grounds = { now: yield* time.at(now), decidedAt: null, locked }
      yield* decideAndWrite(query, schema, pending, answers, grounds, time)
      return answers
    })
  )

/**
 * Commits operations as part of the surrounding transaction, or of a new one. It waits for the locks of the accounts as
 * long as the transaction allows. Returns the exact answer of each operation, in their order. The accounts are not
 * remembered, since the transaction may be rolled back.
 */
export const commitOperations = (
  database: Database["Service"],
  time: LedgerTime,
  operations: ReadonlyArray<AnyOperation>
): Effect.Effect<ReadonlyArray<AnyExit>, DatabaseError> =>
  database.asService(({ query }) =>
    Effect.gen(function* () {
      const { schema } = database
      const answers: Array<AnyExit | undefined> = operations.map(() => undefined)
      let pending = numbered(operations)
      for (let round = 0; pending.length > 0; round += 1) {
        if (round === MAX_ROUNDS) return yield* contended()
        const { now } = yield* lockAccounts(query, schema, pending, "")
        pending = yield* decideAndWrite(
          query,
          schema,
          pending,
          answers,
          { now: yield* time.at(now), decidedAt: null },
          time
        )
      }
      return answers as ReadonlyArray<AnyExit>
    })
  )

const contended = () =>
  new DatabaseError({ sqlState: "40001", cause: new Error("Accounts kept changing while they were written.") })
