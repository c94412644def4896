import type { Result } from "effect"
import type { Account } from "../Account.ts"
import type {
  Changes,
  IdempotencyRecord,
  KeyState,
  LedgerAccount,
  OpenHold,
  Operation,
  Refusal
} from "./LedgerState.ts"
import type { PurchaseState } from "../Purchase.ts"
import { explainTerms } from "./journal.ts"
import type { Transaction } from "../Transaction.ts"

/** The account without the fields that only the ledger needs. */
export const accountOf = ({
  version: _version,
  transactionCount: _transactionCount,
  openHolds: _open,
  byType: _byType,
  termsTransaction: _termsTransaction,
  holdsOpened: _holdsOpened,
  holdsEnded: _holdsEnded,
  usageDay: _usageDay,
  usageByKind: _usageByKind,
  ...account
}: LedgerAccount): Account => account

/** The keys of the holds and records that an operation reads. */
export const keysOf = ({ reads: { key, secondKey } }: Pick<Operation<never, never>, "reads">): ReadonlyArray<string> =>
  key === undefined ? [] : secondKey === undefined ? [key] : [key, secondKey]

/** One account as it was read, with the holds, records and purchases that the given operations read. */
export interface LoadedAccount {
  readonly account: LedgerAccount | undefined
  readonly holds: ReadonlyMap<string, OpenHold>
  readonly records: ReadonlyMap<string, IdempotencyRecord>
  /** The purchases, by their charges. */
  readonly purchases: ReadonlyMap<string, PurchaseState>
}

/** An account that does not exist. */
export const NO_ACCOUNT: LoadedAccount = {
  account: undefined,
  holds: new Map(),
  records: new Map(),
  purchases: new Map()
}

/** The answers in the order of the operations, and the changes that must be committed before any answer is returned. */
export interface Decisions {
  readonly answers: ReadonlyArray<Result.Result<unknown, Refusal>>
  readonly changes: Changes | undefined
  /** True if every operation changed the account: then the changes may be committed only if every answer is right. */
  readonly allChanged: boolean
}

const NO_STATE: KeyState = { open: undefined, record: undefined }

/**
 * The first version of a new account, from the time of its opening: an erased account with the same id never had this
 * version.
 */
const firstVersion = (now: number): number => Math.max(1, Math.floor(now))

/**
 * Decides operations on one account one after another, each on the state that the previous ones produced, as if each
 * had been committed alone, at the time `now` in Unix milliseconds. Returns the net changes of all: a hold that is
 * opened and ended within the group is never stored.
 */
export const decideAll = (
  loaded: LoadedAccount,
  operations: ReadonlyArray<Operation<unknown, Refusal>>,
  now: number
): Decisions => {
  let account = loaded.account
  let changed = 0
  const opened = new Map<string, OpenHold>()
  const closed = new Set<string>()
  const records = new Map<string, IdempotencyRecord>()
  const transactions: Array<Transaction> = []
  const purchases = new Map<string, PurchaseState>()
  const answers: Array<Result.Result<unknown, Refusal>> = []

  const stateOf = (key: string | undefined): KeyState => {
    if (key === undefined) return NO_STATE
    const stored = closed.has(key) ? undefined : loaded.holds.get(key)
    return { open: opened.get(key) ?? stored, record: records.get(key) ?? loaded.records.get(key) }
  }

  for (const { reads, decide } of operations) {
    const { key, secondKey, charge } = reads
    const purchase = charge === undefined ? undefined : (purchases.get(charge) ?? loaded.purchases.get(charge))
    const { answer, changes } = decide({ account, ...stateOf(key), second: stateOf(secondKey), purchase }, now)
    answers.push(answer)
    if (changes === undefined) continue
    changed += 1
    account = explainTerms(account, changes.account)
    transactions.push(...changes.transactions)
    for (const hold of changes.opened) opened.set(hold.hold.key, hold)
    for (const ended of changes.closed) if (!opened.delete(ended)) closed.add(ended)
    for (const done of changes.records) records.set(done.key, done)
    for (const changed of changes.purchases) purchases.set(changed.charge, changed)
  }

  if (changed === 0 || account === undefined) return { answers, changes: undefined, allChanged: false }
  return {
    answers,
    allChanged: changed === operations.length,
    changes: {
      account: { ...account, version: loaded.account === undefined ? firstVersion(now) : loaded.account.version + 1 },
      opened: [...opened.values()],
      closed: [...closed],
      transactions,
      records: [...records.values()],
      purchases: [...purchases.values()]
    }
  }
}
