import { Effect } from "effect"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { type CreditOperations, creditOperations } from "../../credits/CreditOperations.ts"

/** What tests ask of a ledger: all of the port, and the named operations over it. */
export type TestedLedger = CreditLedger["Service"] & CreditOperations["Service"]

export const withOperations = (ledger: CreditLedger["Service"]): TestedLedger => ({
  ...ledger,
  ...creditOperations(ledger)
})

/** The ledger of the surrounding context, for tests. */
export const testedLedger: Effect.Effect<TestedLedger, never, CreditLedger> = Effect.map(CreditLedger, withOperations)
