import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { grantOperation, openOperation } from "./decideAccount.ts"
import { decideAll } from "./decideAll.ts"
import { releaseOperation, reserveOperation, settleOperation } from "./decideHold.ts"
import { AccountNotFound } from "./errors.ts"
import {
  accountOf,
  type Changes,
  type Fact,
  type LedgerAccount,
  type OpenHold,
  type Operation,
  type Refusal
} from "./LedgerState.ts"
import type { Transaction } from "./Transaction.ts"

interface StoredAccount {
  account: LedgerAccount
  readonly holds: Map<string, OpenHold>
  readonly facts: Map<string, Fact>
  /** Oldest first. */
  readonly transactions: Array<Transaction>
}

const EMPTY = { account: undefined, holds: new Map<string, OpenHold>(), facts: new Map<string, Fact>() }

const write = (stored: StoredAccount | undefined, changes: Changes): StoredAccount => {
  const after: StoredAccount = stored ?? {
    account: changes.account,
    holds: new Map(),
    facts: new Map(),
    transactions: []
  }
  after.account = changes.account
  for (const open of changes.opened) after.holds.set(open.hold.key, open)
  for (const key of changes.closed) after.holds.delete(key)
  for (const fact of changes.facts) after.facts.set(fact.key, fact)
  after.transactions.push(...changes.transactions)
  return after
}

const make = Effect.sync(() => {
  const accounts = new Map<UserId, StoredAccount>()

  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const stored = accounts.get(operation.userId)
      const { answers, changes } = decideAll(stored ?? EMPTY, [operation])
      if (changes !== undefined) accounts.set(operation.userId, write(stored, changes))
      return Effect.fromResult(answers[0] as ReturnType<typeof operation.decide>["answer"])
    })

  const stored = (userId: UserId) =>
    Effect.suspend(() => {
      const found = accounts.get(userId)
      return found === undefined ? Effect.fail(new AccountNotFound({ userId })) : Effect.succeed(found)
    })

  return CreditLedger.of({
    open: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(openOperation(input, now))),
    account: (userId) => Effect.map(stored(userId), ({ account }) => accountOf(account)),
    reserve: Effect.fnUntraced(function* (input) {
      const attempt = yield* (yield* IdGenerator).next
      return yield* run(reserveOperation(input, attempt, yield* Clock.currentTimeMillis))
    }),
    settle: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(settleOperation(input, now))),
    release: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(releaseOperation(input, now))),
    grant: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(grantOperation(input, now))),
    history: ({ userId, limit, offset, type }) =>
      Effect.map(stored(userId), ({ transactions }) => {
        const matching = transactions.filter((row) => type === undefined || row.type === type).toReversed()
        return { transactions: matching.slice(offset, offset + limit), total: matching.length }
      })
  })
})

/** The ledger in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryCreditLedger = { layer: Layer.effect(CreditLedger, make) }
