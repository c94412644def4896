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

/**
 * The key under which a customer's allowance is imported. The key of the period itself stays unused, so that a payment
 * after the imported balance can use it.
 */
const IMPORTED_PERIOD_KEY = "imported:period"

/** A balance from another system. Amounts are whole credits, times are Unix milliseconds. */
export interface ImportAccountInput {
  readonly userId: UserId
  readonly tier: TierName
  /** The credits that the tier grants in each period. */
  readonly monthlyCredits: number
  /** The unspent allowance of the period. */
  readonly allowance: number
  readonly topup: number
  /** The moment from which the periods are computed; now unless given. */
  readonly anchor: number | undefined
  /**
   * The time of the balance: `allowance` belongs to the period that ran at this time, even if a later period has begun
   * since.
   */
  readonly asOf: number
  readonly renewedBy: RenewedBy
  /**
   * True if the person is a customer of the payment provider: payments after `asOf` then decide which further credits
   * the period grants.
   */
  readonly isCustomer: boolean
  /** True: returns the outcome, and changes nothing. */
  readonly dryRun: boolean
}

/** `updated`: the account existed because the person had signed in, but had no other transactions. */
export type ImportState = "created" | "unchanged" | "updated"

/** The result for one account. A refusal changes nothing. */
export type ImportOutcome =
  | { readonly _tag: "Imported"; readonly state: ImportState }
  /** The account was imported before with other values, and keeps them. */
  | { readonly _tag: "ImportedOtherwise" }
  /** The account has transactions beside its opening. */
  | { readonly _tag: "InUse"; readonly account: Account; readonly transactions: number }
  /** The account would exceed the maximum number of credits. */
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
    // A more expensive plan adds its excess over the period's grant; `allowance` may be only the unspent rest of that
    // grant.
    periodCredits: Math.max(monthlyCredits, allowance),
    renewedBy,
    renewedUntil: undefined,
    pendingTier: undefined
  }
}

/** Returns true for an account that was opened and has no other changes. */
const isUntouched = ({ holdsOpened, renewedBy, transactionCount }: LedgerAccount): boolean =>
  transactionCount === 1 && holdsOpened === 0 && renewedBy === "schedule"

/**
 * Sets the allowance and adds the top-up. The allowance is stored under the key of its period, unless that key is used
 * or a customer's payment may use it.
 */
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
  // Under the period's own key, a customer's payment after the balance would count as granted already.
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
 * Opens an account with a balance from another system, once: a repetition changes nothing. The imported allowance
 * counts as the grant of the current period, so that the period is not granted again; a customer's invoices are granted
 * or not by their time, compared with the time of the balance. An account that has been used is refused, because its
 * balance has changed since the other system.
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
