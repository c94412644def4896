import { Clock, Effect, Layer, type Result } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
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

/** Everything about one account; replaced as a whole by every write. */
interface StoredAccount {
  readonly account: LedgerAccount
  readonly holds: ReadonlyMap<string, OpenHold>
  readonly facts: ReadonlyMap<string, Fact>
  /** Oldest first. */
  readonly transactions: ReadonlyArray<Transaction>
}

const EMPTY = { account: undefined, holds: new Map(), facts: new Map(), transactions: [] }

const written = (stored: StoredAccount | typeof EMPTY, changes: Changes): StoredAccount => {
  const holds = new Map<string, OpenHold>(stored.holds)
  const facts = new Map<string, Fact>(stored.facts)
  for (const open of changes.opened) holds.set(open.hold.key, open)
  for (const key of changes.closed) holds.delete(key)
  for (const fact of changes.facts) facts.set(fact.key, fact)
  return { account: changes.account, holds, facts, transactions: [...stored.transactions, ...changes.transactions] }
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const accounts = yield* storage.table<UserId, StoredAccount>()
  const ids = yield* IdGenerator

  // A refusal changes nothing, so it is turned into a failure outside: it does not undo the unit of work around it.
  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E> =>
    storage
      .exclusive(
        Effect.sync(() => {
          const stored = accounts.get(operation.userId) ?? EMPTY
          const { answers, changes } = decideAll(stored, [operation])
          if (changes !== undefined) accounts.set(operation.userId, written(stored, changes))
          return answers[0] as Result.Result<A, E>
        })
      )
      .pipe(Effect.flatMap(Effect.fromResult))

  const find = (userId: UserId): Effect.Effect<StoredAccount, AccountNotFound> =>
    storage
      .exclusive(Effect.sync(() => accounts.get(userId)))
      .pipe(
        Effect.flatMap((found) =>
          found === undefined ? Effect.fail(new AccountNotFound({ userId })) : Effect.succeed(found)
        )
      )

  return CreditLedger.of({
    open: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(openOperation(input, now))),
    account: (userId) => Effect.map(find(userId), ({ account }) => accountOf(account)),
    reserve: Effect.fnUntraced(function* (input) {
      const attempt = yield* ids.next
      return yield* run(reserveOperation(input, attempt, yield* Clock.currentTimeMillis))
    }),
    settle: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(settleOperation(input, now))),
    release: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(releaseOperation(input, now))),
    grant: (input) => Effect.flatMap(Clock.currentTimeMillis, (now) => run(grantOperation(input, now))),
    history: ({ userId, limit, offset, type }) =>
      Effect.map(find(userId), ({ transactions }) => {
        const matching = transactions.filter((row) => type === undefined || row.type === type).toReversed()
        return { transactions: matching.slice(offset, offset + limit), total: matching.length }
      })
  })
})

/** The ledger in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryCreditLedger = {
  layer: Layer.effect(CreditLedger, make).pipe(Layer.provide(InMemoryStorage.layer))
}
