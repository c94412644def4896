import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { AccountNotFound, type InvalidAmount, KeyConflict } from "../errors.ts"
import { type Journal, newest } from "./journal.ts"
import type { Decision, LedgerAccount, Refusal, View } from "./LedgerState.ts"
import type { Transaction } from "../Transaction.ts"

export type OnceRefusal = AccountNotFound | KeyConflict | InvalidAmount

/** Work that a business key stands for, answered by the one transaction it writes. */
export interface OnceWork<E> {
  readonly userId: UserId
  readonly key: string
  /** What was asked, in words. */
  readonly fingerprint: string
  readonly now: number
  readonly post: (account: LedgerAccount) => Result.Result<Journal, E>
}

/** Does the work the first time its key comes; after that gives the first answer, or refuses another fingerprint. */
export const decideOnce = <E extends Refusal = InvalidAmount>(
  { account, open, record }: Pick<View, "account" | "open" | "record">,
  { userId, key, fingerprint, now, post }: OnceWork<E>
): Decision<Transaction, OnceRefusal | E> => {
  const refuse = (error: OnceRefusal | E) => ({ answer: Result.fail(error), changes: undefined })
  if (account === undefined) return refuse(new AccountNotFound({ userId }))
  if (record?.fingerprint === fingerprint && record.transaction !== undefined) {
    return { answer: Result.succeed(record.transaction), changes: undefined }
  }
  if (open !== undefined || record !== undefined) return refuse(new KeyConflict({ key }))
  const posted = post(account)
  if (Result.isFailure(posted)) return refuse(posted.failure)
  const transaction = newest(posted.success)
  return {
    answer: Result.succeed(transaction),
    changes: {
      ...posted.success,
      opened: [],
      closed: [],
      records: [{ key, fingerprint, at: now, hold: undefined, transaction }],
      purchases: []
    }
  }
}
