import { freeOf } from "./buckets.ts"
import type { Fact, LedgerAccount, OpenHold } from "./LedgerState.ts"
import type { Transaction } from "./Transaction.ts"
import { type Difference, type ProvenFact, SIDE_REFERENCE } from "./Verification.ts"

/** An account with all that is stored of it; transactions oldest first. */
export interface VerifiedAccount {
  readonly account: LedgerAccount
  readonly holds: ReadonlyMap<string, OpenHold>
  readonly facts: ReadonlyMap<string, Fact>
  readonly transactions: ReadonlyArray<Transaction>
}

const sumOf = <Row>(rows: Iterable<Row>, of: (row: Row) => number): number => {
  let sum = 0
  for (const row of rows) sum += of(row)
  return sum
}

/** Recomputes an account from its rows and lists where they disagree. */
export const verifyAccount = ({ account, holds, facts, transactions }: VerifiedAccount): ReadonlyArray<Difference> => {
  const { allowance, topup, debt, heldAllowance, heldTopup, openHolds, entries, userId } = account
  const free = freeOf(account)
  let balance = 0
  const wrongBalances = transactions.filter((row) => row.balanceAfter !== (balance += row.amount)).length
  const numbers = transactions.filter((row, index) => row.id === String(index + 1)).length
  const ofKey = (row: Transaction) => facts.get(row.reference)?.transaction?.id === row.id
  const open = [...holds.values()].map(({ hold }) => hold.from)
  const compared: ReadonlyArray<readonly [fact: ProvenFact, expected: number, found: number]> = [
    ["sum of amounts", sumOf(transactions, (row) => row.amount), allowance + topup - debt],
    ["sum of allowance amounts", sumOf(transactions, (row) => row.allowanceAmount), allowance],
    ["sum of topup amounts", sumOf(transactions, (row) => row.topupAmount), topup],
    ["number of transactions", numbers, entries],
    ["balances after each transaction", 0, wrongBalances],
    ["held allowance", sumOf(open, (from) => from.allowance), heldAllowance],
    ["held topup", sumOf(open, (from) => from.topup), heldTopup],
    ["open holds", open.length, openHolds],
    ["free credits beside a debt", 0, debt === 0 ? 0 : free.allowance + free.topup],
    ["keys without their transaction", 0, [...facts.values()].filter((fact) => !isAnswered(fact, transactions)).length],
    [
      "transactions without their key",
      0,
      transactions.filter((row) => !SIDE_REFERENCE.test(row.reference) && !ofKey(row)).length
    ],
    ["keys that are open and ended", 0, [...holds.keys()].filter((key) => facts.has(key)).length]
  ]
  return compared
    .filter(([, expected, found]) => expected !== found)
    .map(([fact, expected, found]) => ({ userId, fact, expected, found }))
}

/** A key that moved credits has its transaction; only one whose hold was released has none. */
const isAnswered = ({ key, hold, transaction }: Fact, transactions: ReadonlyArray<Transaction>): boolean =>
  transaction === undefined ? hold !== undefined : transactions[Number(transaction.id) - 1]?.reference === key
