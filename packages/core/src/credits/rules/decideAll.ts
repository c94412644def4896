import type { Result } from "effect"
import type { Changes, IdempotencyRecord, LedgerAccount, OpenHold, Operation, Refusal } from "./LedgerState.ts"
import { explainTerms } from "./terms.ts"
import type { Transaction } from "../Transaction.ts"

/** One account as it was read, with the holds and records that the operations at hand name. */
export interface LoadedAccount {
  readonly account: LedgerAccount | undefined
  readonly holds: ReadonlyMap<string, OpenHold>
  readonly records: ReadonlyMap<string, IdempotencyRecord>
}

/** Answers in the order of the operations, and what must be committed before any of them may be given. */
export interface Decisions {
  readonly answers: ReadonlyArray<Result.Result<unknown, Refusal>>
  readonly changes: Changes | undefined
  /** Every operation changed something, so that the changes cannot be committed unless every answer is right. */
  readonly allChanged: boolean
}

/**
 * Decides operations on one account one after another, each on what the ones before it left, as if each had been
 * committed alone, at the time `now` in Unix milliseconds. The changes are the net of all: a hold opened and ended among
 * them is never stored.
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
  const answers: Array<Result.Result<unknown, Refusal>> = []

  for (const { key, secondKey, decide } of operations) {
    const stored = key === undefined || closed.has(key) ? undefined : loaded.holds.get(key)
    const open = key === undefined ? undefined : (opened.get(key) ?? stored)
    const record = key === undefined ? undefined : (records.get(key) ?? loaded.records.get(key))
    const secondRecord = secondKey === undefined ? undefined : (records.get(secondKey) ?? loaded.records.get(secondKey))
    const { answer, changes } = decide({ account, open, record, secondRecord }, now)
    answers.push(answer)
    if (changes === undefined) continue
    changed += 1
    account = explainTerms(account, changes.account)
    transactions.push(...changes.transactions)
    for (const hold of changes.opened) opened.set(hold.hold.key, hold)
    for (const ended of changes.closed) if (!opened.delete(ended)) closed.add(ended)
    for (const done of changes.records) records.set(done.key, done)
  }

  if (changed === 0 || account === undefined) return { answers, changes: undefined, allChanged: false }
  return {
    answers,
    allChanged: changed === operations.length,
    changes: {
      account: { ...account, version: (loaded.account?.version ?? 0) + 1 },
      opened: [...opened.values()],
      closed: [...closed],
      transactions,
      records: [...records.values()]
    }
  }
}
