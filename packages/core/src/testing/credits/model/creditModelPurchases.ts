import {
  enter,
  freeCredits,
  type ModelAccount,
  type ModelPurchase,
  type ModelStep,
  once,
  takeOneByOne
} from "./creditModelState.ts"

/** A purchase, and the payment provider's reports on it, as tests generate them. */
interface ModelCharge {
  readonly charge: string
  readonly granted: number
  readonly paid: number
}

export type PurchaseCommand =
  | ({ readonly _tag: "buy"; readonly key: string } & ModelCharge)
  | ({ readonly _tag: "refund"; readonly refunded: number; readonly reportedAt: number } & ModelCharge)
  | ({
      readonly _tag: "dispute"
      readonly disputed: number
      readonly funds: "withdrawn" | "reinstated"
      readonly reportedAt: number
    } & ModelCharge)

/** A report on a charge: about its refund, or about its only dispute. */
type ModelReport = ModelPurchase["reports"][number]

export const purchaseStep = (account: ModelAccount, command: PurchaseCommand): ModelStep =>
  command._tag === "buy" ? buy(account, command) : clawBack(account, command)

const buy = (account: ModelAccount, command: Extract<PurchaseCommand, { readonly _tag: "buy" }>): ModelStep => {
  const { charge, granted, key, paid } = command
  const isUsed = account.records[key] !== undefined || account.holds[key] !== undefined
  if (account.opened && !isUsed && account.purchases[charge] !== undefined)
    return { answer: "PurchaseConflict", account }
  return once(account, key, `topup ${granted} ${charge} ${paid}`, (before) => {
    const bought = give(before, "topup", granted, key)
    return { ...bought, purchases: { ...bought.purchases, [charge]: { granted, paid, reports: [] } } }
  })
}

/** The latest report; of two with the same time, the dispute's end or the larger refund. */
const latest = (reports: ReadonlyArray<ModelReport>): ModelReport | undefined =>
  reports
    .toSorted((a, b) => a.reportedAt - b.reportedAt || a.funds.localeCompare(b.funds) * -1 || a.part - b.part)
    .at(-1)

/** After any reports in any order, exactly the amounts of the latest reports are taken back. */
const clawBack = (account: ModelAccount, command: Exclude<PurchaseCommand, { readonly _tag: "buy" }>): ModelStep => {
  const { charge, granted, paid, reportedAt } = command
  if (!account.opened) return { answer: "AccountNotFound", account }
  const purchase = account.purchases[charge]
  if (purchase === undefined) return { answer: "PurchaseNotFound", account }
  if (purchase.granted !== granted || purchase.paid !== paid) return { answer: "PurchaseConflict", account }
  const said: ModelReport =
    command._tag === "refund"
      ? { about: "refund", part: command.refunded, funds: "withdrawn", reportedAt }
      : { about: "dispute", part: command.disputed, funds: command.funds, reportedAt }
  const fingerprint = `${said.about} ${said.part} ${reportedAt}`
  const first = `refund:${charge}:${said.about === "refund" ? said.part : `dp:${said.funds}`}`
  const used = account.records[first]
  const key = used === undefined || used.fingerprint === fingerprint ? first : `${first}:${said.part}:${reportedAt}`
  return once(account, key, fingerprint, (before) => {
    const reports = [...purchase.reports, said]
    const out = (["refund", "dispute"] as const)
      .map((about) => latest(reports.filter((one) => one.about === about)))
      .reduce((sum, one) => {
        const part = one === undefined || one.funds === "reinstated" ? 0 : one.part
        return sum + Math.floor((granted * part) / paid)
      }, 0)
    const taken = before.rows
      .filter(({ reference }) => reference.startsWith(`refund:${charge}:`))
      .reduce((sum, { amount }) => sum - amount, 0)
    const more = Math.min(out, granted) - taken
    const moved = more >= 0 ? take(before, "refund", more, key) : give(before, "refund", -more, key)
    return { ...moved, purchases: { ...moved.purchases, [charge]: { ...purchase, reports } } }
  })
}

export const give = (account: ModelAccount, type: string, amount: number, reference: string): ModelAccount => {
  const topupAmount = amount - Math.min(amount, account.debt)
  return enter(account, { type, amount, allowanceAmount: 0, topupAmount, reference })
}

export const take = (account: ModelAccount, type: string, amount: number, reference: string): ModelAccount => {
  const free = freeCredits(account)
  const [topup = 0, allowance = 0] = takeOneByOne(amount, free.topup, free.allowance)
  return enter(account, { type, amount: 0 - amount, allowanceAmount: 0 - allowance, topupAmount: 0 - topup, reference })
}
