import { Result } from "effect"
import { expect, it } from "vitest"
import {
  decideAll,
  type IdempotencyRecord,
  NO_ACCOUNT,
  type Operation,
  type OpenHold,
  type Refusal
} from "@parley/core/adapter"
import { grant } from "../../src/credits/rules/grantsAndCorrections.ts"
import { openAccount } from "../../src/credits/rules/openAndClose.ts"
import { release, reserve, settle } from "../../src/credits/rules/decideHold.ts"
import { termsOf } from "../../src/credits/rules/journal.ts"
import { type VerifiedAccount, verifyAccount } from "../../src/credits/rules/verifyAccount.ts"
import { receiptDraft, reservation } from "../../src/testing/index.ts"

const userId = "ann"
const NOW = 1_767_225_600_000

/** An account with a purchase, a settled reply, a released one and an open one, as the rules leave it. */
const account = (): VerifiedAccount => {
  const operations: ReadonlyArray<Operation<unknown, Refusal>> = [
    openAccount({ userId, tier: "free", allowance: 100 }),
    grant({ userId, key: "topup:1", type: "topup", amount: 50, payment: { charge: "ch_1", paid: 100 } }),
    reserve(reservation(userId, "reply:1", 30), "1"),
    settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft }),
    reserve(reservation(userId, "reply:2", 20), "2"),
    release({ userId, key: "reply:2" }),
    reserve(reservation(userId, "reply:3", 20), "3")
  ]
  const { answers, changes } = decideAll(NO_ACCOUNT, operations, NOW)
  expect(answers.every(Result.isSuccess)).toBe(true)
  if (changes === undefined) throw new Error("Nothing was decided.")
  return {
    account: changes.account,
    holds: new Map(changes.opened.map((open) => [open.hold.key, open])),
    records: new Map(changes.records.map((record) => [record.key, record])),
    purchases: new Map(changes.purchases.map((purchase) => [purchase.charge, purchase])),
    transactions: changes.transactions,
    explained: { number: changes.account.termsTransaction, terms: termsOf(changes.account) }
  }
}

const REFUND = { source: "refund", part: 50, isWon: false, reportedAt: NOW }

const brokenIn = (stored: VerifiedAccount) => verifyAccount(stored).map(({ invariant }) => invariant)

it("finds nothing in an account as the rules leave it", () => {
  expect(brokenIn(account())).toEqual([])
})

it("finds any change past the rules", () => {
  const sound = account()
  const [opened, bought, usage] = sound.transactions
  if (opened === undefined || bought === undefined || usage === undefined) throw new Error("Transactions are missing.")
  const purchase = sound.purchases.get("ch_1")
  if (purchase === undefined) throw new Error("The purchase is missing.")
  const changed = (part: Partial<VerifiedAccount["account"]>) => ({ ...sound, account: { ...sound.account, ...part } })
  const rows = (...transactions: VerifiedAccount["transactions"]) => ({ ...sound, transactions })
  const released: IdempotencyRecord = {
    ...(sound.records.get("reply:2") as IdempotencyRecord),
    key: "period:ann:2027-01-01T00:00:00.000Z"
  }
  const plantings: ReadonlyArray<readonly [VerifiedAccount, ReadonlyArray<string>]> = [
    [changed({ tier: "business" }), ["tier, dates and renewal"]],
    [changed({ renewedBy: "invoice" }), ["tier, dates and renewal"]],
    [changed({ anchor: 0 }), ["tier, dates and renewal"]],
    [changed({ nextResetAt: NOW + 1 }), ["tier, dates and renewal"]],
    [changed({ periodCredits: 1 }), ["tier, dates and renewal"]],
    [changed({ topup: 51 }), ["sum of amounts", "sum of topup amounts"]],
    [
      { ...changed({ heldAllowance: 0, openHolds: 0 }), holds: new Map<string, OpenHold>() },
      ["number of open holds", "held by each kind of source"]
    ],
    [changed({ usageByKind: [25, 0, 0, 20, 0, 0, 0, 0] }), ["held by each kind of source"]],
    [changed({ usageByKind: [24, 20, 0, 0, 0, 0, 0, 0] }), ["charged to each kind of source on the last day"]],
    [changed({ usageDay: 1 }), ["charged to each kind of source on the last day"]],
    [
      rows(opened, bought, { ...usage, source: "bot:a" }),
      ["charged to each kind of source on the last day", "receipts that contradict their transaction"]
    ],
    [{ ...sound, records: new Map(sound.records).set(released.key, released) }, ["number of ended holds"]],
    [
      {
        ...changed({ allowance: 100, transactionCount: 2 }),
        transactions: [opened, bought],
        records: withoutKey(sound, "reply:1")
      },
      ["transactions of each type", "number of ended holds", "charged to each kind of source on the last day"]
    ],
    [
      rows(opened, bought, usage, {
        ...usage,
        id: "4",
        type: "adjustment",
        amount: 0,
        allowanceAmount: 0,
        model: undefined,
        source: undefined,
        receipt: undefined,
        reference: "repaid:reply:9"
      }),
      ["number of transactions", "transactions of each type", "transactions without their key"]
    ],
    [rows(opened, { ...bought, type: "grant" }, usage), ["transactions of each type"]],
    ...[{ granted: 51 }, { clawedBack: 1 }, { reports: [REFUND] }].map(
      (part) =>
        [
          { ...sound, purchases: new Map([["ch_1", { ...purchase, ...part }]]) },
          ["purchases that contradict their transactions"]
        ] as const
    ),
    [{ ...sound, purchases: new Map() }, ["transactions without their purchase"]],
    [rows(opened, { ...bought, charge: undefined }, usage), ["purchases that contradict their transactions"]],
    [rows(opened, bought, { ...usage, model: "another" }), ["receipts that contradict their transaction"]]
  ]
  for (const [stored, broken] of plantings) expect(brokenIn(stored)).toEqual(broken)
})

const withoutKey = ({ records }: VerifiedAccount, key: string) => new Map([...records].filter(([name]) => name !== key))
