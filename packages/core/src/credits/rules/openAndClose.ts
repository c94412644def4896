import { Result } from "effect"
import { PERIOD_FINGERPRINT, periodKey } from "./resetPeriod.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { Account } from "../Account.ts"
import { decideOnce, type OnceRefusal, newest, post, type Journal, type Terms } from "./journal.ts"
import { AccountNotFound, HoldsOpen } from "../errors.ts"
import { accountOf } from "./decideAll.ts"
import type { Decision, LedgerAccount, Operation, IdempotencyRecord } from "./LedgerState.ts"
import { periodAt } from "./period.ts"
import { type Transaction, NO_TRANSACTIONS } from "../Transaction.ts"
import { NO_USAGE } from "../Spender.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { renameKey } from "../../events/InMemoryEventLog.ts"

export interface OpenAccountInput {
  readonly userId: UserId
  readonly tier: TierName
  /** The first period's allowance. */
  readonly allowance: number
}

/** Returns an account that exists. */
export const findAccount = (userId: UserId): Operation<Account, AccountNotFound> => ({
  name: "find",
  userId,
  reads: {},
  decide: ({ account }) => ({
    answer: account === undefined ? Result.fail(new AccountNotFound({ userId })) : Result.succeed(accountOf(account)),
    changes: undefined
  })
})

/** Returns the account, or opens it with its first allowance. */
export const openAccount = (input: OpenAccountInput): Operation<Account, never> => ({
  name: "open",
  userId: input.userId,
  reads: {},
  decide: ({ account }, now) =>
    account === undefined ? opened(input, now) : { answer: Result.succeed(accountOf(account)), changes: undefined }
})

/** An account before its first transaction. */
export const emptyAccount = (userId: UserId, terms: Terms): LedgerAccount => ({
  userId,
  ...terms,
  allowance: 0,
  topup: 0,
  debt: 0,
  heldAllowance: 0,
  heldTopup: 0,
  version: 0,
  transactionCount: 0,
  openHolds: 0,
  byType: NO_TRANSACTIONS,
  termsTransaction: 0,
  holdsOpened: 0,
  holdsEnded: 0,
  usageDay: 0,
  usageByKind: NO_USAGE
})

const opened = (input: OpenAccountInput, now: number): Decision<Account, never> => {
  const { start, end } = periodAt(now, now)
  const empty = emptyAccount(input.userId, {
    tier: input.tier,
    anchor: now,
    periodStart: start,
    nextResetAt: end,
    periodCredits: input.allowance,
    renewedBy: "schedule",
    renewedUntil: undefined,
    pendingTier: undefined
  })
  const key = periodKey(input.userId, start)
  const { allowance } = input
  const journal = post(
    { account: empty, transactions: [] },
    { type: "reset", amount: allowance, allowance, topup: 0, reference: key, at: now }
  )
  const record = { key, fingerprint: PERIOD_FINGERPRINT, at: now, hold: undefined, transaction: newest(journal) }
  return {
    answer: Result.succeed(accountOf(journal.account)),
    changes: { ...journal, opened: [], closed: [], records: [record], purchases: [] }
  }
}

export interface CloseInput {
  readonly userId: UserId
  /** The business fact, for example `closed:<request>`. */
  readonly key: string
  /** The tier of people without a subscription; the closed account has this tier. */
  readonly lowest: TierName
}

/** Sets the remaining credits and the debt to zero, in one transaction; no further period begins. */
const closed = (account: LedgerAccount, tier: TierName, reference: string, at: number): Journal => {
  const { allowance, debt, topup } = account
  return post(
    {
      account: { ...account, tier, pendingTier: undefined, renewedBy: "none", periodCredits: 0 },
      transactions: []
    },
    { type: "adjustment", amount: debt - allowance - topup, allowance: 0 - allowance, topup: 0 - topup, reference, at }
  )
}

/** Returns true if the account has no credits, debt or open holds, and no process renews it. */
export const isClosed = ({ allowance, debt, openHolds, renewedBy, topup }: LedgerAccount): boolean =>
  renewedBy === "none" && allowance === 0 && topup === 0 && debt === 0 && openHolds === 0

/**
 * Closes an account once for its key: the balance becomes zero, and no process renews it. Later grants add to it again.
 * Fails with `HoldsOpen` while a hold is open.
 */
export const closeAccount = ({ key, lowest, userId }: CloseInput): Operation<Transaction, OnceRefusal | HoldsOpen> => ({
  name: "close",
  userId,
  reads: { key },
  decide: (view, now) =>
    decideOnce<HoldsOpen>(view, {
      userId,
      key,
      fingerprint: "closed",
      now,
      post: (account) =>
        account.openHolds > 0
          ? Result.fail(new HoldsOpen({ open: account.openHolds }))
          : Result.succeed(closed(account, lowest, key, now))
    })
})

/** The contents of a closed account. */
export interface ClosedAccount {
  readonly account: LedgerAccount
  readonly records: ReadonlyMap<string, IdempotencyRecord>
  readonly transactions: ReadonlyArray<Transaction>
}

/**
 * Moves a closed account to another owner: amounts, dates and numbers stay, and the owner's id is replaced wherever it
 * occurs: as the owner of the rows, and in the keys of periods (`periodKey`).
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
