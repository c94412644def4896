import { type Changes, type LedgerAccount, type LoadedAccount, NO_ACCOUNT, type OpenHold } from "@parley/core/adapter"

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
