import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"
import type { Account, RenewedBy } from "../Account.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { type Journal, newest, post, type Terms } from "./journal.ts"
import type { Changes, IdempotencyRecord, LedgerAccount, Operation } from "./LedgerState.ts"
import { emptyAccount } from "./openAndClose.ts"
import { periodAt } from "./period.ts"
import { PERIOD_FINGERPRINT, periodKey } from "./resetPeriod.ts"

/** The key of the import of an account: one for each account, so that nothing is imported twice. */
export const IMPORTED_KEY = "imported:account"

/** The key of the allowance of a customer: the period's own key is for a payment that comes after the balance. */
const IMPORTED_PERIOD_KEY = "imported:period"

/** A balance from another system. Credits are whole, times Unix milliseconds. */
export interface ImportAccountInput {
  readonly userId: UserId
  readonly tier: TierName
  /** The credits of the tier's periods. */
  readonly monthlyCredits: number
  /** The rest of the current period. */
  readonly allowance: number
  readonly topup: number
  /** The moment from which the periods are computed; now unless given. */
  readonly anchor: number | undefined
  /** The moment of the balance: `allowance` is of the period that ran then, though a later one may have begun since. */
  readonly asOf: number
  readonly renewedBy: RenewedBy
  /** The customer's payments decide what else the period grants: those from before the balance are known by their time. */
  readonly isCustomer: boolean
  /** Only returns the outcome. */
  readonly dryRun: boolean
}

/** `updated`: the person had signed in, and nothing else had happened on the account. */
export type ImportState = "created" | "unchanged" | "updated"

/** The result for one account. A refusal changes nothing. */
export type ImportOutcome =
  | { readonly _tag: "Imported"; readonly state: ImportState }
  /** It was imported with other values, as which it stays. */
  | { readonly _tag: "ImportedOtherwise" }
  /** The account has had other transactions than its opening. */
  | { readonly _tag: "InUse"; readonly account: Account; readonly transactions: number }
  /** The account would have more credits than an account holds. */
  | { readonly _tag: "TooMany" }

const fingerprintOf = ({ allowance, anchor, renewedBy, tier, topup }: ImportAccountInput): string =>
  `imported ${tier} ${allowance} ${topup} ${anchor ?? "now"} ${renewedBy}`

const termsOf = (
  { allowance, anchor, asOf, monthlyCredits, renewedBy, tier }: ImportAccountInput,
  now: number
): Terms => {
  const from = anchor ?? now
  const { end, start } = periodAt(from, asOf)
  return {
    tier,
    anchor: from,
    periodStart: start,
    nextResetAt: end,
    // A dearer plan adds its excess over the period's grant, of which `allowance` is the rest.
    periodCredits: Math.max(monthlyCredits, allowance),
    renewedBy,
    renewedUntil: undefined,
    pendingTier: undefined
  }
}

/** An account on which only its opening has happened. */
const isUntouched = ({ holdsOpened, renewedBy, transactionCount }: LedgerAccount): boolean =>
  transactionCount === 1 && holdsOpened === 0 && renewedBy === "schedule"

/** Sets the allowance, under the key of its period unless that is used or a customer's payment may use it, and adds the top-up. */
const imported = (
  before: LedgerAccount,
  input: ImportAccountInput,
  at: number
): Pick<Changes, "account" | "records" | "transactions"> => {
  const terms = termsOf(input, at)
  const account = { ...before, ...terms }
  const amount = input.allowance - before.allowance
  const record = (key: string, fingerprint: string, journal: Journal): IdempotencyRecord => ({
    key,
    fingerprint,
    at,
    hold: undefined,
    transaction: newest(journal)
  })
  const begin = (reference: string) =>
    post({ account, transactions: [] }, { type: "reset", amount, allowance: amount, topup: 0, reference, at })
  // The key of the period would keep a payment that comes after the balance from its grant.
  const key = input.isCustomer ? IMPORTED_PERIOD_KEY : periodKey(input.userId, terms.periodStart)
  const isGranted = !input.isCustomer && before.transactionCount > 0 && before.periodStart === terms.periodStart
  const begun = begin(isGranted ? `moved:${key}` : key)
  const { topup } = input
  const type = topup > 0 ? "grant" : "adjustment"
  const given = post(begun, { type, amount: topup, allowance: 0, topup, reference: IMPORTED_KEY, at })
  const periods = isGranted ? [] : [record(key, PERIOD_FINGERPRINT, begun)]
  return { ...given, records: [...periods, record(IMPORTED_KEY, fingerprintOf(input), given)] }
}

/**
 * Opens an account with a balance from another system, once: a repetition changes nothing. The rest of the current
 * period is the grant of that period, so that it is not granted again: invoices of a customer are compared with the moment
 * of the balance. An account that has been used is refused, since its balance is not that of the other system any more.
 */
export const importAccount = (input: ImportAccountInput): Operation<ImportOutcome, never> => {
  const { allowance, dryRun, topup, userId } = input
  return {
    name: "import",
    userId,
    reads: { key: IMPORTED_KEY },
    decide: ({ account, record }, now) => {
      const answer = (outcome: ImportOutcome, changes?: Changes) => ({ answer: Result.succeed(outcome), changes })
      if (record !== undefined) {
        return answer(
          record.fingerprint === fingerprintOf(input)
            ? { _tag: "Imported", state: "unchanged" }
            : { _tag: "ImportedOtherwise" }
        )
      }
      if (account !== undefined && !isUntouched(account)) {
        return answer({ _tag: "InUse", account, transactions: account.transactionCount })
      }
      if (allowance > MAX_CREDITS - topup) return answer({ _tag: "TooMany" })
      const outcome = { _tag: "Imported", state: account === undefined ? "created" : "updated" } as const
      if (dryRun) return answer(outcome)
      const before = account ?? emptyAccount(userId, termsOf(input, now))
      return answer(outcome, { ...imported(before, input, now), opened: [], closed: [], purchases: [] })
    }
  }
}
