import { type Changes, decideAll, type Operation, type Refusal } from "@parley/core"
import { Effect, type Result } from "effect"
import { type Database, DatabaseError, type Sql } from "../database/Database.ts"
import { loadAccounts } from "./loadAccounts.ts"
import { writeChanges } from "./writeChanges.ts"

type AnyOperation = Operation<unknown, Refusal>
type Answer = Result.Result<unknown, Refusal>

/** An operation that has no answer yet, and its place among those asked. */
interface Pending {
  readonly operation: AnyOperation
  readonly index: number
}

/** Each round but the first holds the accounts' locks, so that only an account opened by somebody else costs another. */
const MAX_ROUNDS = 10

const byAccount = (pending: ReadonlyArray<Pending>): ReadonlyMap<string, Array<Pending>> => {
  const groups = new Map<string, Array<Pending>>()
  for (const one of pending) {
    const group = groups.get(one.operation.userId)
    if (group === undefined) groups.set(one.operation.userId, [one])
    else group.push(one)
  }
  return groups
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Loads, decides and writes; notes in `answers` what was written or needed no writing, and gives the operations whose
 * account somebody else changed in between, of which nothing was written.
 */
const attempt = Effect.fnUntraced(function* (
  query: Sql["query"],
  schema: string,
  pending: ReadonlyArray<Pending>,
  answers: Array<Answer | undefined>
): Effect.fn.Return<ReadonlyArray<Pending>, DatabaseError> {
  const operations = pending.map(({ operation }) => operation)
  const loaded = yield* loadAccounts(query, schema, operations)
  const groups = byAccount(pending)
  const changes: Array<Changes> = []
  const decided = [...groups].map(([userId, group]) => {
    const account = loaded.get(userId) ?? { account: undefined, holds: new Map(), facts: new Map() }
    const decisions = decideAll(
      account,
      group.map(({ operation }) => operation)
    )
    if (decisions.changes !== undefined) changes.push(decisions.changes)
    return { userId, group, decisions }
  })
  const written = changes.length === 0 ? NONE : yield* writeChanges(query, schema, changes)
  const missed: Array<Pending> = []
  for (const { userId, group, decisions } of decided) {
    if (decisions.changes !== undefined && !written.has(userId)) missed.push(...group)
    else for (const [place, { index }] of group.entries()) answers[index] = decisions.answers[place]
  }
  return missed
})

const lockAccounts = (query: Sql["query"], schema: string, pending: ReadonlyArray<Pending>) =>
  query(
    `SELECT FROM ${schema}.credit_accounts WHERE user_id = ANY($1::text[]) ORDER BY user_id COLLATE "C" FOR UPDATE`,
    [[...new Set(pending.map(({ operation }) => operation.userId))]]
  )

/**
 * Commits operations on any number of accounts and gives the exact answer of each, in their order, as if each had been
 * committed alone.
 *
 * The first round takes no lock: one statement reads, one writes where nothing changed in between, each a transaction
 * of its own. Where another process was faster, the accounts concerned are locked, read again and written in one
 * transaction, so that nobody starves. Inside a unit of work all happens in its transaction, under the lock.
 *
 * Safe to repeat as a whole after a lost connection, also at COMMIT: an operation that was committed finds its own key
 * and gives its first answer.
 */
export const commitOperations = Effect.fnUntraced(function* (
  database: Database["Service"],
  operations: ReadonlyArray<AnyOperation>
): Effect.fn.Return<ReadonlyArray<Answer>, DatabaseError> {
  const { schema } = database
  const answers: Array<Answer | undefined> = operations.map(() => undefined)
  let pending: ReadonlyArray<Pending> = operations.map((operation, index) => ({ operation, index }))
  if (!(yield* database.inTransaction)) pending = yield* attempt(database.statement, schema, pending, answers)
  for (let round = 1; pending.length > 0; round += 1) {
    if (round === MAX_ROUNDS) return yield* contended()
    const rest = pending
    pending = yield* database.asService(({ query }) =>
      Effect.andThen(lockAccounts(query, schema, rest), attempt(query, schema, rest, answers))
    )
  }
  return answers as ReadonlyArray<Answer>
})

const contended = () =>
  new DatabaseError({ sqlState: "40001", cause: new Error("Accounts kept changing while they were written.") })
