/**
 * What a credit ledger must do, written once more in the plainest way: one account, one operation after another, held
 * amounts summed over the open holds. The ledger's own rules are not used here, so that the two can disagree.
 */

/** An operation as tests generate it. */
export type CreditCommand =
  | { readonly _tag: "open"; readonly allowance: number }
  | { readonly _tag: "reserve"; readonly key: string; readonly amount: number; readonly atLeast: number }
  | { readonly _tag: "settle"; readonly key: string; readonly amount: number }
  | { readonly _tag: "release"; readonly key: string }
  | { readonly _tag: "grant"; readonly key: string; readonly amount: number; readonly type: "topup" | "grant" }

interface ModelRow {
  readonly type: string
  readonly amount: number
  readonly allowanceAmount: number
  readonly topupAmount: number
  readonly balanceAfter: number
  readonly reference: string
}

interface ModelHold {
  readonly amount: number
  readonly atLeast: number
  readonly allowance: number
  readonly topup: number
  /** The first answer to its end. */
  readonly ended: unknown
}

interface ModelGrant {
  readonly amount: number
  readonly type: string
  readonly answer: unknown
}

/** One account of the model; never changed in place. */
export interface ModelAccount {
  readonly opened: boolean
  readonly allowance: number
  readonly topup: number
  readonly debt: number
  readonly holds: Readonly<Record<string, ModelHold>>
  readonly grants: Readonly<Record<string, ModelGrant>>
  readonly rows: ReadonlyArray<ModelRow>
}

export const newModelAccount: ModelAccount = {
  opened: false,
  allowance: 0,
  topup: 0,
  debt: 0,
  holds: {},
  grants: {},
  rows: []
}

/** What the command answers, in a form that two implementations can be compared by, and the account after it. */
export interface ModelStep {
  readonly answer: unknown
  readonly account: ModelAccount
}

/** The buckets, as the port names them. */
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

const isWhole = (amount: number, from: number) => Number.isSafeInteger(amount) && amount >= from

/** Moves credits between a bucket and the outside, or between a bucket and the debt, and notes it as a row. */
const enter = (account: ModelAccount, row: Omit<ModelRow, "balanceAfter">): ModelAccount => {
  const allowance = account.allowance + row.allowanceAmount
  const topup = account.topup + row.topupAmount
  const debt = account.debt - row.amount + row.allowanceAmount + row.topupAmount
  return {
    ...account,
    allowance,
    topup,
    debt,
    rows: [...account.rows, { ...row, balanceAfter: allowance + topup - debt }]
  }
}

/** Takes `amount`, one credit at a time, from the first bucket that has one. */
const takeOneByOne = (amount: number, ...buckets: ReadonlyArray<number>): ReadonlyArray<number> => {
  const left = [...buckets]
  for (let credit = 0; credit < amount; credit += 1) {
    const first = left.findIndex((credits) => credits > 0)
    if (first === -1) break
    left[first] = (left[first] ?? 0) - 1
  }
  return buckets.map((credits, index) => credits - (left[index] ?? 0))
}

/** What `command` does to `account`. */
export const modelStep = (account: ModelAccount, command: CreditCommand): ModelStep => {
  switch (command._tag) {
    case "open":
      return open(account, command.allowance)
    case "reserve":
      return reserve(account, command)
    case "settle":
      if (!isWhole(command.amount, 0)) return { answer: "InvalidAmount", account }
      return end(account, command.key, command.amount)
    case "release":
      return end(account, command.key, undefined)
    case "grant":
      return grant(account, command)
  }
}

const open = (account: ModelAccount, allowance: number): ModelStep => {
  if (account.opened) return { answer: modelBuckets(account), account }
  const row = { type: "reset", amount: allowance, allowanceAmount: allowance, topupAmount: 0, reference: "period" }
  const after = { ...enter(account, row), opened: true }
  return { answer: modelBuckets(after), account: after }
}

const reserve = (account: ModelAccount, command: Extract<CreditCommand, { readonly _tag: "reserve" }>): ModelStep => {
  const { key, amount, atLeast } = command
  if (!isWhole(amount, 1) || !isWhole(atLeast, 1) || atLeast > amount) return { answer: "InvalidAmount", account }
  if (!account.opened) return { answer: "AccountNotFound", account }
  const earlier = account.holds[key]
  if (account.grants[key] !== undefined) return { answer: "KeyConflict", account }
  if (earlier !== undefined) {
    if (earlier.amount !== amount || earlier.atLeast !== atLeast) return { answer: "KeyConflict", account }
    return { answer: { held: [earlier.allowance, earlier.topup], replayed: true }, account }
  }
  const buckets = modelBuckets(account)
  const freeAllowance = buckets.allowance - buckets.heldAllowance
  const freeTopup = buckets.topup - buckets.heldTopup
  if (freeAllowance + freeTopup < atLeast) return { answer: { refused: buckets }, account }
  const [allowance = 0, topup = 0] = takeOneByOne(amount, freeAllowance, freeTopup)
  const hold: ModelHold = { amount, atLeast, allowance, topup, ended: undefined }
  return {
    answer: { held: [allowance, topup], replayed: false },
    account: { ...account, holds: { ...account.holds, [key]: hold } }
  }
}

const end = (account: ModelAccount, key: string, charge: number | undefined): ModelStep => {
  const hold = account.holds[key]
  if (hold === undefined) return { answer: "HoldNotFound", account }
  if (hold.ended !== undefined) return { answer: hold.ended, account }
  const { allowance, topup, heldAllowance, heldTopup } = modelBuckets(account)
  let after: ModelAccount = account
  let ended: unknown = "Released"
  if (charge !== undefined) {
    const [heldA = 0, heldT = 0, freeA = 0, freeT = 0] = takeOneByOne(
      charge,
      hold.allowance,
      hold.topup,
      allowance - heldAllowance,
      topup - heldTopup
    )
    const paid = { allowance: heldA + freeA, topup: heldT + freeT, debt: charge - heldA - heldT - freeA - freeT }
    after = enter(account, {
      type: "usage",
      amount: 0 - charge,
      allowanceAmount: 0 - paid.allowance,
      topupAmount: 0 - paid.topup,
      reference: key
    })
    ended = { charged: charge, held: hold.allowance + hold.topup, paid, id: String(after.rows.length) }
  }
  after = { ...after, holds: { ...after.holds, [key]: { ...hold, ended } } }
  return { answer: ended, account: repay(after, key) }
}

/** Credits that are free repay what is owed. */
const repay = (account: ModelAccount, key: string): ModelAccount => {
  const { allowance, topup, heldAllowance, heldTopup, debt } = modelBuckets(account)
  const [fromAllowance = 0, fromTopup = 0] = takeOneByOne(debt, allowance - heldAllowance, topup - heldTopup)
  if (fromAllowance + fromTopup === 0) return account
  return enter(account, {
    type: "adjustment",
    amount: 0,
    allowanceAmount: 0 - fromAllowance,
    topupAmount: 0 - fromTopup,
    reference: `repaid:${key}`
  })
}

const grant = (account: ModelAccount, command: Extract<CreditCommand, { readonly _tag: "grant" }>): ModelStep => {
  const { key, amount, type } = command
  if (!isWhole(amount, 1)) return { answer: "InvalidAmount", account }
  if (!account.opened) return { answer: "AccountNotFound", account }
  const earlier = account.grants[key]
  if (earlier !== undefined && earlier.amount === amount && earlier.type === type)
    return { answer: earlier.answer, account }
  if (earlier !== undefined || account.holds[key] !== undefined) return { answer: "KeyConflict", account }
  const topupAmount = amount - Math.min(amount, account.debt)
  const after = enter(account, { type, amount, allowanceAmount: 0, topupAmount, reference: key })
  const answer = { granted: amount, id: String(after.rows.length), balanceAfter: after.rows.at(-1)?.balanceAfter }
  return { answer, account: { ...after, grants: { ...after.grants, [key]: { amount, type, answer } } } }
}
