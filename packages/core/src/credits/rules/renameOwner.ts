import { renameKey } from "../../events/renameKey.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { Transaction } from "../Transaction.ts"
import type { IdempotencyRecord, LedgerAccount } from "./LedgerState.ts"

/** What a closed account consists of. */
export interface ClosedAccount {
  readonly account: LedgerAccount
  readonly records: ReadonlyMap<string, IdempotencyRecord>
  readonly transactions: ReadonlyArray<Transaction>
}

/**
 * A closed account as that of somebody else: amounts, dates and numbers as they are, the owner's id replaced wherever it
 * stands, which is in the keys of periods (`periodKey`) besides the rows' owner.
 */
export const renameOwner = <A extends ClosedAccount>(stored: A, userId: UserId, pseudonym: UserId): A => {
  const rename = (key: string): string => renameKey(key, userId, pseudonym)
  const renamed = (row: Transaction): Transaction => ({ ...row, reference: rename(row.reference) })
  const records = [...stored.records.values()].map((record) => ({
    ...record,
    key: rename(record.key),
    hold: record.hold && { ...record.hold, userId: pseudonym },
    transaction: record.transaction && renamed(record.transaction)
  }))
  return {
    ...stored,
    account: { ...stored.account, userId: pseudonym },
    records: new Map(records.map((record) => [record.key, record])),
    transactions: stored.transactions.map(renamed)
  }
}
