import { Context, Effect } from "effect"
import {
  CreditLedger,
  type CreditPorts,
  CreditRecords,
  CreditUpkeep,
  transactionOf
} from "../../credits/CreditLedger.ts"
import type { ReserveInput } from "../../credits/holds/Hold.ts"
import { release, reserve, reserveOnTier, settle } from "../../credits/rules/decideHold.ts"
import { closeRest, settleReply } from "../../credits/rules/decideReply.ts"
import { followPlan } from "../../credits/rules/followPlan.ts"
import { adjust, dispute, grant, refund } from "../../credits/rules/grantsAndCorrections.ts"
import type { Operation, Refusal } from "../../credits/rules/LedgerState.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import { takeFromPeriod } from "../../credits/rules/takeFromPeriod.ts"
import { changeTier } from "../../credits/rules/tierChange.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"

/** The operations in tests, by the names of the calls. */
const OPERATIONS = {
  open: openAccount,
  reserve: (input: ReserveInput) => reserve(input, crypto.randomUUID()),
  reserveOnTier: (input: ReserveInput, tier: TierName) => reserveOnTier(input, tier, crypto.randomUUID()),
  settle,
  release,
  settleReply,
  closeRest,
  grant,
  refund,
  dispute,
  adjust,
  followPlan,
  takeFromPeriod,
  changeTier
}

type Runs = {
  readonly [Name in keyof typeof OPERATIONS]: (
    ...input: Parameters<(typeof OPERATIONS)[Name]>
  ) => ReturnType<(typeof OPERATIONS)[Name]> extends Operation<infer A, infer E>
    ? Effect.Effect<A, E | StorageFailed>
    : never
}

const runsOf = ({ run }: CreditLedger["Service"]): Runs =>
  Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, operation]) => [
      name,
      (...input: ReadonlyArray<never>) =>
        Effect.suspend(() =>
          run((operation as (...input: ReadonlyArray<never>) => Operation<unknown, Refusal>)(...input))
        )
    ])
  ) as Runs

/** The calls that tests make to a ledger: its three ports, and a call for each operation. */
export type TestedLedger = CreditLedger["Service"] &
  CreditRecords["Service"] &
  CreditUpkeep["Service"] &
  Runs & { readonly transaction: (userId: UserId, key: string) => ReturnType<typeof transactionOf> }

/** The ports of a ledger, by the names of the stores. */
interface LedgerStores {
  readonly ledger: CreditLedger["Service"]
  readonly creditRecords: CreditRecords["Service"]
  readonly creditUpkeep: CreditUpkeep["Service"]
}

/** Returns the ledger of opened stores, for tests. */
export const ledgerOfStores = ({ creditRecords, creditUpkeep, ledger }: LedgerStores): TestedLedger => ({
  ...ledger,
  ...creditRecords,
  ...creditUpkeep,
  ...runsOf(ledger),
  transaction: (userId, key) => transactionOf(creditRecords, userId, key)
})

/** Returns the ledger in a context, for tests. */
export const ledgerIn = (context: Context.Context<CreditPorts>): TestedLedger =>
  ledgerOfStores({
    ledger: Context.get(context, CreditLedger),
    creditRecords: Context.get(context, CreditRecords),
    creditUpkeep: Context.get(context, CreditUpkeep)
  })

/** The ledger of the surrounding context, for tests. */
export const testedLedger: Effect.Effect<TestedLedger, never, CreditPorts> = Effect.map(
  Effect.context<CreditPorts>(),
  ledgerIn
)
