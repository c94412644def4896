import { Effect } from "effect"
import fc from "fast-check"
import type { Account } from "../../../credits/Account.ts"
import { makeWorkByHand } from "../../../credits/metering/workByHand.ts"
import type { WorkPayment } from "../../../credits/metering/Metering.ts"
import type { Spender } from "../../../credits/Spender.ts"
import type { UserId } from "../../../identity/UserId.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import { MODEL_TTL_MS } from "./creditModelHolds.ts"
import type { WorkCommand } from "./creditModelWork.ts"
import type { TestedLedger } from "../testedLedger.ts"

const keys = fc.constantFrom("a", "a", "b")
const tag = <const Tag extends string>(name: Tag) => fc.constant(name)
const units = fc.constantFrom(0, 3, 9, 9, 30)
const dailyCap = fc.constantFrom(undefined, undefined, undefined, 12)

/** Mostly the same request under a key; any other request is a conflict. */
export const workCommands: fc.Arbitrary<WorkCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: tag("reserveWork"),
      key: keys,
      amount: fc.constantFrom(10, 10, 10, 10, 25, 0),
      minimumAmount: fc.constantFrom(1, 1, 1, 10),
      source: fc.constantFrom<Spender[]>("key:svc", "key:svc", "key:svc", "meter:pages"),
      dailyCap,
      // With 40 seconds, a hold expires exactly at the time of the next wave.
      lifetimeSeconds: fc.constantFrom(undefined, undefined, undefined, 40)
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: tag("renewWork"), key: keys, units }) },
  { weight: 5, arbitrary: fc.record({ _tag: tag("settleWork"), key: keys, units, dailyCap }) },
  { weight: 1, arbitrary: fc.record({ _tag: tag("releaseWork"), key: keys }) }
)

const linesOf = (quantity: number) => [{ label: "unit", quantity, unitPrice: 1 }]

const summarizePayment = (payment: WorkPayment): unknown => {
  if (payment._tag === "Released") return "Released"
  const { charged, chargedBefore, held, paidFrom: paid } = payment.receipt
  const before = chargedBefore === undefined ? {} : { before: chargedBefore }
  return { charged, held, paid, id: payment.transactionId, ...before }
}

/** Sends a call for work; returns the answer in the form of the model. */
export const sendWork = (
  ledger: TestedLedger,
  userId: UserId,
  command: WorkCommand
): Effect.Effect<unknown, { readonly _tag: string }> => {
  // Does not open an account that is not open, because that would be a further step, and each command is one step.
  const vouched = (person: UserId) => ledger.account(person) as Effect.Effect<Account, StorageFailed>
  const accounts = { vouched }
  const work = makeWorkByHand(ledger, accounts, MODEL_TTL_MS)
  const { key } = command
  switch (command._tag) {
    case "reserveWork": {
      const { _tag, ...bound } = command
      return Effect.map(work.reserve({ ...bound, userId }), ({ held, replayed, state }) => ({ held, state, replayed }))
    }
    case "renewWork":
      return Effect.as(work.renew({ userId, key }, linesOf(command.units)), "renewed")
    case "settleWork": {
      const { dailyCap: cap, units: used } = command
      return Effect.map(work.settle({ userId, key, dailyCap: cap }, { lines: linesOf(used) }), summarizePayment)
    }
    case "releaseWork":
      return Effect.map(work.release({ userId, key }), summarizePayment)
  }
}
