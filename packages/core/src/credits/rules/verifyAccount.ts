import { freeOf } from "../Account.ts"
import type { IdempotencyRecord, LedgerAccount, OpenHold } from "./LedgerState.ts"
import { type PurchaseState, outOf } from "../Purchase.ts"
import { modelOf, TRANSACTION_TYPES, type Transaction, type TransactionType, countsOf } from "../Transaction.ts"
import { sameTerms, type Terms } from "./journal.ts"
import { kindOfSpender, SPENDER_KINDS, type SpenderKind, dayOf, usageOfKind } from "../Spender.ts"
import { type Difference, type Invariant, SIDE_REFERENCE } from "../upkeep/Verification.ts"

/** An account with everything that is stored about it; transactions oldest first. */
export interface VerifiedAccount {
  readonly account: LedgerAccount
  readonly holds: ReadonlyMap<string, OpenHold>
  readonly records: ReadonlyMap<string, IdempotencyRecord>
  /** The purchases, by their charges. */
  readonly purchases: ReadonlyMap<string, PurchaseState>
  readonly transactions: ReadonlyArray<Transaction>
  /** The terms in the transaction that last changed them, and the number of that transaction. */
  readonly explained: ExplainedTerms
}

export interface ExplainedTerms {
  readonly number: number
  readonly terms: Terms
}

type Compared = readonly [invariant: Invariant, expected: number, found: number]

/**
 * Checks, for each kind of spender, that the charges of the account's day of usage equal the sum of the transactions.
 */
const usageOfDay = ({ account, transactions }: VerifiedAccount): ReadonlyArray<Compared> => {
  const agrees = (kind: SpenderKind) => {
    const rows = transactions.filter(
      ({ createdAt, source }) =>
        source !== undefined && kindOfSpender(source) === kind && dayOf(createdAt) === account.usageDay
    )
    return sumOf(rows, ({ amount }) => -amount) === usageOfKind(account, kind).charged
  }
  return [["charged to each kind of source on the last day", SPENDER_KINDS.length, count(SPENDER_KINDS, agrees)]]
}

/**
 * Checks that each purchase has exactly one grant, and that the credits taken back for it equal the sum in its rows and
 * the sum in its reports.
 */
const purchasesOf = ({ purchases, transactions }: VerifiedAccount): ReadonlyArray<Compared> => {
  const contradicts = (purchase: PurchaseState): boolean => {
    const rows = transactions.filter(({ charge }) => charge === purchase.charge)
    const granted = rows.filter(({ type }) => type !== "refund")
    const taken = rows.filter(({ type }) => type === "refund")
    return (
      granted.length !== 1 ||
      granted[0]?.amount !== purchase.granted ||
      sumOf(taken, ({ amount }) => -amount) !== purchase.clawedBack ||
      outOf(purchase, purchase.reports) !== purchase.clawedBack
    )
  }
  const isUnknown = ({ charge }: Transaction): boolean => charge !== undefined && !purchases.has(charge)
  return [
    ["purchases that contradict their transactions", 0, count(purchases.values(), contradicts)],
    ["transactions without their purchase", 0, count(transactions, isUnknown)]
  ]
}

const sumOf = <Row>(rows: Iterable<Row>, of: (row: Row) => number): number => {
  let sum = 0
  for (const row of rows) sum += of(row)
  return sum
}

const count = <Row>(rows: Iterable<Row>, holds: (row: Row) => boolean): number => sumOf(rows, (row) => +holds(row))

const balancesOf = ({ account, transactions }: VerifiedAccount): ReadonlyArray<Compared> => {
  const { allowance, topup, debt, transactionCount } = account
  const free = freeOf(account)
  let balance = 0
  return [
    ["sum of amounts", sumOf(transactions, (row) => row.amount), allowance + topup - debt],
    ["sum of allowance amounts", sumOf(transactions, (row) => row.allowanceAmount), allowance],
    ["sum of topup amounts", sumOf(transactions, (row) => row.topupAmount), topup],
    [
      "number of transactions",
      transactions.filter((row, index) => row.id === String(index + 1)).length,
      transactionCount
    ],
    ["balances after each transaction", 0, count(transactions, (row) => row.balanceAfter !== (balance += row.amount))],
    ["free credits beside a debt", 0, debt === 0 ? 0 : free.allowance + free.topup]
  ]
}

const termsAndTypesOf = ({ account, explained, transactions }: VerifiedAccount): ReadonlyArray<Compared> => {
  const agrees = (type: TransactionType) => {
    const rows = transactions.filter((row) => row.type === type)
    const { count, newest } = countsOf(account.byType, type)
    return count === rows.length && newest === Number(rows.at(-1)?.id ?? 0)
  }
  const total = sumOf(TRANSACTION_TYPES, (type) => countsOf(account.byType, type).count)
  const agree = account.termsTransaction === explained.number && sameTerms(account, explained.terms)
  return [
    [
      "transactions of each type",
      TRANSACTION_TYPES.length,
      count(TRANSACTION_TYPES, agrees) - +(total !== account.transactionCount)
    ],
    ["tier, dates and renewal", 0, agree ? 0 : 1]
  ]
}

const holdsOf = ({ account, holds, records }: VerifiedAccount): ReadonlyArray<Compared> => {
  const { heldAllowance, heldTopup, openHolds, holdsOpened, holdsEnded } = account
  const open = [...holds.values()].map(({ hold }) => hold.from)
  const holdsAsSaid = (kind: SpenderKind) => {
    const rows = [...holds.values()].filter(({ source }) => kindOfSpender(source) === kind)
    return sumOf(rows, ({ hold }) => hold.amount) === usageOfKind(account, kind).held
  }
  return [
    ["held allowance", sumOf(open, (from) => from.allowance), heldAllowance],
    ["held topup", sumOf(open, (from) => from.topup), heldTopup],
    ["open holds", holds.size, openHolds],
    ["number of open holds", holds.size, holdsOpened - holdsEnded],
    ["held by each kind of source", SPENDER_KINDS.length, count(SPENDER_KINDS, holdsAsSaid)],
    ["number of ended holds", count(records.values(), ({ hold }) => hold !== undefined), holdsEnded],
    ["keys that are open and ended", 0, count(holds.keys(), (key) => records.has(key))]
  ]
}

const keysOf = ({ records, transactions }: VerifiedAccount): ReadonlyArray<Compared> => {
  /**
   * Returns true if a key has its transaction. Only the key of a released hold has none, because it moved no credits.
   */
  const isAnswered = ({ key, hold, transaction }: IdempotencyRecord): boolean => {
    if (transaction === undefined) return hold !== undefined
    const row = transactions[Number(transaction.id) - 1]
    return row?.reference === key
  }
  const contradicts = ({ at, hold, transaction }: IdempotencyRecord): boolean =>
    transaction !== undefined && (transaction.createdAt !== at || hold?.amount !== transaction.receipt?.held)
  /**
   * Returns true if a key explains a row: the row's own key names it as its transaction; or the row follows from
   * another operation, whose key was used at the same time.
   */
  const isExplained = (row: Transaction): boolean => {
    const followed = SIDE_REFERENCE.exec(row.reference)
    const record = records.get(followed?.[2] ?? row.reference)
    if (followed === null) return record?.transaction?.id === row.id
    return followed[1] === "moved" ? record !== undefined : record?.hold !== undefined && record.at === row.createdAt
  }
  return [
    ["keys without their transaction", 0, count(records.values(), (record) => !isAnswered(record))],
    ["keys that contradict their transaction", 0, count(records.values(), contradicts)],
    ["transactions without their key", 0, count(transactions, (row) => !isExplained(row))],
    ["receipts that contradict their transaction", 0, count(transactions, contradictsReceipt)]
  ]
}

/**
 * Returns true if a row contradicts its receipt, which names the buckets that paid. Every `usage` row must have a
 * receipt.
 */
const contradictsReceipt = (row: Transaction): boolean => {
  const { type, amount, allowanceAmount, topupAmount, model, receipt, source } = row
  if (receipt === undefined) return type === "usage" || model !== undefined || source !== undefined
  const { charged, paidFrom } = receipt
  return (
    type !== "usage" ||
    modelOf(receipt) !== model ||
    receipt.source !== source ||
    charged !== 0 - amount ||
    paidFrom.allowance !== 0 - allowanceAmount ||
    paidFrom.topup !== 0 - topupAmount ||
    paidFrom.allowance + paidFrom.topup !== charged
  )
}

/** Recomputes an account from its rows and lists the differences. */
export const verifyAccount = (stored: VerifiedAccount): ReadonlyArray<Difference> =>
  [
    ...balancesOf(stored),
    ...termsAndTypesOf(stored),
    ...holdsOf(stored),
    ...usageOfDay(stored),
    ...purchasesOf(stored),
    ...keysOf(stored)
  ]
    .filter(([, expected, found]) => expected !== found)
    .map(([invariant, expected, found]) => ({ userId: stored.account.userId, invariant, expected, found }))
