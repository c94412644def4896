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
 * Accounts as this process wrote them last, so that the next operations on them need not read them first. A remembered
 * account may be outdated: only a write that compares every remembered value with the stored one may rely on it.
 */
export interface RecentAccounts {
  /** The account with its open holds, if this process seems to be its only writer. */
  recall(userId: string): LoadedAccount | undefined
  /** Records that the decision made from `before` was committed, by a transaction of its own. */
  written(before: LedgerAccount | undefined, changes: Changes): void
  /** Forgets an account whose remembered values differed from the stored ones, or may have differed. */
  doubt(userId: string): void
}

interface Recent {
  account: LedgerAccount
  readonly holds: Map<string, OpenHold>
  /** False from the first sign of another writer until the account is found again as this process had left it. */
  alone: boolean
}

/** Remembers up to `capacity` accounts. */
export const makeRecentAccounts = (capacity: number): RecentAccounts => {
  /** By user. The oldest is removed first: a missing account costs one read, and is added again. */
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

/** An operation that has no answer yet, and its place among those asked. */
interface Pending {
  readonly operation: AnyOperation
  readonly index: number
}

const isEndTurn = (companion: Companion): companion is EndTurn => companion._tag === "EndTurn"

/** The replies that end with these operations, except those whose operation was refused. */
const endsOf = (decided: ReadonlyArray<Decided>) => {
  const withChanges: Array<TurnEnd> = []
  /** Ends of operations that change no account. */
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

/** The operations on one account, decided. */
interface Decided {
  readonly userId: string
  readonly group: ReadonlyArray<Pending>
  readonly decisions: Decisions
  readonly write: AccountWrite | undefined
}

/** Each round holds the accounts' locks, so that only an account opened by another process costs another. */
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

/** For each account the trace of its last operation that has one. */
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
 * Decides from the remembered account; the write then proves or refuses it. The answer of an operation that writes
 * nothing could not be proven, so its account has to be read. Purchases are not remembered, so operations on them also
 * read.
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

/** The time of a decision, the check of its write, and the accounts on which it may rely. */
interface Grounds {
  readonly now: number
  /** The time that the database compares with its own; null if the database returned the time itself. */
  readonly decidedAt: number | null
  /** Remembered accounts, if nothing is locked. */
  readonly recent?: RecentAccounts
  /** Accounts that are locked. Others that exist are left alone; without it, none is. */
  readonly locked?: ReadonlySet<string>
}

/**
 * Decides, reads only accounts that are not remembered, and writes. Adds to `answers` the operations that were written
 * or needed no writing. Returns the operations of which nothing was written, because their account had changed or is
 * locked.
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
 * Locks the accounts of `pending`, or those that are free. Returns them, and the database's time after they were
 * locked.
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
 * Commits operations on any number of accounts, without a lock that is held between statements: one statement reads the
 * accounts that `recent` does not remember, and one writes if nothing has changed since; each is a transaction of its
 * own. It waits for no lock: if an account is locked, if another process was faster, or if the time assumed by this
 * process differs from the database's, nothing is written for that account, and its operations have no answer. All
 * others have exact answers in their order, as if each had been committed alone.
 *
 * Like everything in this file, it is safe to repeat as a whole after a lost connection, even one lost at COMMIT: a
 * committed operation finds its own key and returns its first answer.
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
 * Commits operations on accounts that other processes write as well: it locks the free accounts, reads, decides by the
 * time that the database returns then, and writes, in one transaction. Operations on accounts that another process has
 * locked have no answer. With `inLine` it waits for their locks, in the order of the requests of all processes, and
 * fails as a whole if one is not free in time.
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
 * Commits operations as part of the surrounding transaction, or of a transaction of its own. Waits for the locks of
 * their accounts as long as the transaction may. Returns the exact answer of each, in their order. Nothing is
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
