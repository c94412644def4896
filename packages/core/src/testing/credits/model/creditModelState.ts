/**
 * The requirements of a credit ledger, written a second time in the plainest way: one account, one operation after
 * another, held amounts summed over the open holds. The ledger's own rules are not used here, so that the two can
 * disagree.
 */

export interface ModelRow {
  readonly type: string
  readonly amount: number
  readonly allowanceAmount: number
  readonly topupAmount: number
  readonly balanceAfter: number
  readonly reference: string
  /** The spender and the time in Unix milliseconds; only for usage. */
  readonly usage?: { readonly source: string; readonly at: number }
}

export interface ModelHold {
  readonly amount: number
  readonly minimumAmount: number
  readonly source: string
  readonly allowance: number
  readonly topup: number
  readonly periodStart: number
  readonly expiresAt: number
  readonly outputTokens: number
  /** The answer to the first call that ended the hold. */
  readonly ended: unknown
  /** Only for metered work. */
  readonly work?: ModelWork
}

/** One attempt at metered work. A report is one line: a number of units that cost one credit each. */
export interface ModelWork {
  /** A description of the request under its key. */
  readonly terms: string
  /** The number of units that renewals recorded. */
  readonly recorded: number
  /** Undefined while the hold is open. */
  readonly outcome: "paid" | "released" | "expired" | undefined
  /** The number of reported units; only for paid work. */
  readonly reported: number | undefined
}

/** A description of the request under a key, and its first answer. */
export interface ModelRecord {
  readonly fingerprint: string
  readonly answer: unknown
}

/** One account of the model; never changed in place. */
export interface ModelAccount {
  readonly opened: boolean
  readonly allowance: number
  readonly topup: number
  readonly debt: number
  readonly tier: string
  readonly pendingTier: string | undefined
  readonly renewedBy: string
  readonly renewedUntil: number | undefined
  readonly anchor: number
  readonly periodStart: number
  readonly nextResetAt: number
  readonly periodCredits: number
  readonly holds: Readonly<Record<string, ModelHold>>
  readonly records: Readonly<Record<string, ModelRecord>>
  readonly rows: ReadonlyArray<ModelRow>
  /** The purchases, by their charges. */
  readonly purchases: Readonly<Record<string, ModelPurchase>>
}

export interface ModelPurchase {
  readonly granted: number
  readonly paid: number
  readonly reports: ReadonlyArray<{
    readonly about: "refund" | "dispute"
    readonly part: number
    readonly funds: string
    readonly reportedAt: number
  }>
}

export const newModelAccount: ModelAccount = {
  opened: false,
  allowance: 0,
  topup: 0,
  debt: 0,
  tier: "free",
  pendingTier: undefined,
  renewedBy: "schedule",
  renewedUntil: undefined,
  anchor: 0,
  periodStart: 0,
  nextResetAt: 0,
  periodCredits: 0,
  holds: {},
  records: {},
  rows: [],
  purchases: {}
}

/**
 * The answer to the command, in a form in which two implementations can be compared, and the account after the command.
 */
export interface ModelStep {
  readonly answer: unknown
  readonly account: ModelAccount
}

/** The buckets, with the names that the port uses. */
export const modelBuckets = ({ allowance, topup, debt, holds }: ModelAccount) => {
  const open = Object.values(holds).filter((hold) => hold.ended === undefined)
  return {
    allowance,
    topup,
    debt,
    heldAllowance: open.reduce((sum, hold) => sum + hold.allowance, 0),
    heldTopup: open.reduce((sum, hold) => sum + hold.topup, 0)
  }
}

const kindOf = (source: string) => source.split(":")[0]
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The amounts charged to, and held by, all spenders of a kind on a day. */
export const spentByKind = ({ holds, rows }: ModelAccount, source: string, now: number): number => {
  let spent = 0
  for (const hold of Object.values(holds)) {
    if (hold.ended === undefined && kindOf(hold.source) === kindOf(source)) spent += hold.allowance + hold.topup
  }
  for (const { amount, usage } of rows) {
    if (usage !== undefined && kindOf(usage.source) === kindOf(source) && dayOf(usage.at) === dayOf(now))
      spent -= amount
  }
  return spent
}

/** The usage by day and spender: the number of replies, and their cost. */
export const modelUsage = ({ rows }: ModelAccount): Readonly<Record<string, readonly [number, number]>> => {
  const sums: Record<string, readonly [number, number]> = {}
  for (const { amount, usage } of rows) {
    if (usage === undefined) continue
    const name = `${dayOf(usage.at)} ${usage.source}`
    const [replies, credits] = sums[name] ?? [0, 0]
    sums[name] = [replies + 1, credits - amount]
  }
  return sums
}

export const freeCredits = (account: ModelAccount) => {
  const { allowance, topup, heldAllowance, heldTopup } = modelBuckets(account)
  return { allowance: allowance - heldAllowance, topup: topup - heldTopup }
}

/** Moves credits into or out of a bucket, or between a bucket and the debt, and adds a row. */
export const enter = (account: ModelAccount, row: Omit<ModelRow, "balanceAfter">): ModelAccount => {
  const allowance = account.allowance + row.allowanceAmount
  const topup = account.topup + row.topupAmount
  const debt = account.debt - row.amount + row.allowanceAmount + row.topupAmount
  const rows = [...account.rows, { ...row, balanceAfter: allowance + topup - debt }]
  return { ...account, allowance, topup, debt, rows }
}

/** Takes `amount`, one credit at a time, from the first bucket that has a credit. */
export const takeOneByOne = (amount: number, ...buckets: ReadonlyArray<number>): ReadonlyArray<number> => {
  const left = [...buckets]
  for (let credit = 0; credit < amount; credit += 1) {
    const first = left.findIndex((credits) => credits > 0)
    if (first === -1) break
    left[first] = (left[first] ?? 0) - 1
  }
  return buckets.map((credits, index) => credits - (left[index] ?? 0))
}

/** The newest row, in the form in which a ledger returns transactions. */
export const newestAnswer = ({ rows }: ModelAccount): unknown => {
  const row = rows.at(-1)
  return { type: row?.type, amount: row?.amount, balanceAfter: row?.balanceAfter, id: String(rows.length) }
}

/** Work that is done once for a key, and answered by its row; `account` is the account after the work. */
export const once = (
  before: ModelAccount,
  key: string,
  fingerprint: string,
  work: (account: ModelAccount) => ModelAccount
): ModelStep => {
  if (!before.opened) return { answer: "AccountNotFound", account: before }
  const record = before.records[key]
  if (record?.fingerprint === fingerprint) return { answer: record.answer, account: before }
  if (record !== undefined || before.holds[key] !== undefined) return { answer: "KeyConflict", account: before }
  const after = work(before)
  const answer = newestAnswer(after)
  return { answer, account: { ...after, records: { ...after.records, [key]: { fingerprint, answer } } } }
}
