import { decideAll, type Decisions, type LoadedAccount, type Operation, type Refusal } from "@parley/core"
import { Effect, type Result } from "effect"
import { type Database, DatabaseError, type Sql } from "../database/Database.ts"
import { DATABASE_NOW, type LedgerTime } from "./LedgerClock.ts"
import { loadAccounts } from "./loadAccounts.ts"
import type { RecentAccounts } from "./recentAccounts.ts"
import { type AccountWrite, writeChanges } from "./writeChanges.ts"

type AnyOperation = Operation<unknown, Refusal>
type Answer = Result.Result<unknown, Refusal>

/** An operation that has no answer yet, and its place among those asked. */
interface Pending {
  readonly operation: AnyOperation
  readonly index: number
}

/** The operations on one account, decided. */
interface Decided {
  readonly userId: string
  readonly group: ReadonlyArray<Pending>
  readonly decisions: Decisions
  readonly write: AccountWrite | undefined
}

/** Each round but the first holds the accounts' locks, so that only an account opened by somebody else costs another. */
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

const NOTHING: LoadedAccount = { account: undefined, holds: new Map(), facts: new Map() }
const NONE: ReadonlySet<string> = new Set()

const decide = (
  group: ReadonlyArray<Pending>,
  loaded: LoadedAccount,
  unseen: ReadonlyArray<string>,
  now: number
): Decided => {
  const operations = group.map(({ operation }) => operation)
  const decisions = decideAll(loaded, operations, now)
  const { changes } = decisions
  const write = changes && { changes, seen: loaded.account, unseen }
  return { userId: (group[0] as Pending).operation.userId, group, decisions, write }
}

/**
 * Decides from what is remembered, which the write then proves or refuses. Where an operation would write nothing, its
 * answer could not be proven, so that the account has to be read.
 */
const decideFromMemory = (
  group: ReadonlyArray<Pending>,
  remembered: LoadedAccount | undefined,
  now: number
): Decided | undefined => {
  if (remembered === undefined) return undefined
  const keys = new Set(group.flatMap(({ operation: { key } }) => (key === undefined ? [] : [key])))
  const unseen = [...keys].filter((key) => !remembered.holds.has(key))
  const decided = decide(group, remembered, unseen, now)
  return decided.decisions.allChanged ? decided : undefined
}

/** When a round decides, and how its write is sent. */
interface Moment {
  readonly now: number
  /** What the database is to check the decision by; null where it told the time itself. */
  readonly decidedAt: number | null
  readonly recent: RecentAccounts | undefined
}

/**
 * Decides, reading only what is not remembered, and writes; notes in `answers` what was written or needed no writing,
 * and gives the operations whose account was not as it was seen, of which nothing was written.
 */
const attempt = Effect.fnUntraced(function* (
  query: Sql["query"],
  schema: string,
  pending: ReadonlyArray<Pending>,
  answers: Array<Answer | undefined>,
  { now, decidedAt, recent }: Moment,
  time: LedgerTime
): Effect.fn.Return<ReadonlyArray<Pending>, DatabaseError> {
  const decided: Array<Decided> = []
  const unknown: Array<ReadonlyArray<Pending>> = []
  for (const [userId, group] of byAccount(pending)) {
    const fromMemory = decideFromMemory(group, recent?.recall(userId), now)
    if (fromMemory === undefined) unknown.push(group)
    else decided.push(fromMemory)
  }
  if (unknown.length > 0) {
    const operations = unknown.flat().map(({ operation }) => operation)
    const loaded = yield* loadAccounts(query, schema, operations)
    for (const group of unknown) {
      decided.push(decide(group, loaded.get((group[0] as Pending).operation.userId) ?? NOTHING, [], now))
    }
  }
  const writes = decided.flatMap(({ write }) => write ?? [])
  const doubtAll = Effect.sync(() => writes.forEach(({ changes }) => recent?.doubt(changes.account.userId)))
  const write = Effect.suspend(() => Effect.onError(writeChanges(query, schema, writes, decidedAt), () => doubtAll))
  const refused = writes.length === 0 ? NONE : (yield* time.learnFrom(write, ({ toldAt }) => toldAt)).missed
  const missed: Array<Pending> = []
  for (const { userId, group, decisions, write } of decided) {
    if (refused.has(userId)) {
      recent?.doubt(userId)
      missed.push(...group)
      continue
    }
    if (write !== undefined) recent?.written(write.seen, write.changes)
    for (const [place, { index }] of group.entries()) answers[index] = decisions.answers[place]
  }
  return missed
})

/** Locks the accounts of `pending`; gives the database's time once they are. */
const lockAccounts = (query: Sql["query"], schema: string, pending: ReadonlyArray<Pending>) =>
  Effect.map(
    query<{ readonly now: number }>(
      `SELECT ${DATABASE_NOW} AS now, l.accounts FROM (
         SELECT count(*) AS accounts FROM (
           SELECT FROM ${schema}.credit_accounts WHERE user_id = ANY($1::text[]) ORDER BY user_id COLLATE "C" FOR UPDATE
         ) a
       ) l`,
      [[...new Set(pending.map(({ operation }) => operation.userId))]]
    ),
    ([row]) => row?.now ?? 0
  )

/**
 * Commits operations on any number of accounts and gives the exact answer of each, in their order, as if each had been
 * committed alone.
 *
 * The first round takes no lock: one statement reads what `recent` does not remember, one writes where everything is as
 * it was seen, each a transaction of its own. Where another process was faster, or the time that this process took it to
 * be is not the database's, the accounts concerned are locked, read again and written in one transaction, decided by the
 * time that the database tells in it, so that nobody starves. Inside a unit of work all happens in its transaction,
 * under the lock, and nothing is remembered, since it may yet be undone.
 *
 * Safe to repeat as a whole after a lost connection, also at COMMIT: an operation that was committed finds its own key
 * and gives its first answer.
 */
export const commitOperations = Effect.fnUntraced(function* (
  database: Database["Service"],
  time: LedgerTime,
  operations: ReadonlyArray<AnyOperation>,
  recent?: RecentAccounts
): Effect.fn.Return<ReadonlyArray<Answer>, DatabaseError> {
  const { schema } = database
  const answers: Array<Answer | undefined> = operations.map(() => undefined)
  let pending: ReadonlyArray<Pending> = operations.map((operation, index) => ({ operation, index }))
  if (!(yield* database.inTransaction)) {
    const now = yield* time.estimate
    const moment = { now, decidedAt: time.decidedAt(now), recent }
    pending = yield* attempt(database.statement, schema, pending, answers, moment, time)
  }
  for (let round = 1; pending.length > 0; round += 1) {
    if (round === MAX_ROUNDS) return yield* contended()
    const rest = pending
    pending = yield* database.asService(({ query }) =>
      Effect.gen(function* () {
        const now = yield* time.at(yield* lockAccounts(query, schema, rest))
        return yield* attempt(query, schema, rest, answers, { now, decidedAt: null, recent: undefined }, time)
      })
    )
  }
  return answers as ReadonlyArray<Answer>
})

const contended = () =>
  new DatabaseError({ sqlState: "40001", cause: new Error("Accounts kept changing while they were written.") })
