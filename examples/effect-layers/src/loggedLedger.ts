import { Console, Effect, Layer } from "effect"
import { CreditLedger } from "@parley/core/adapter"

/** Wraps the ledger of the layers below, and logs each of its operations. */
export const loggedLedger: Layer.Layer<CreditLedger, never, CreditLedger> = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, (ledger) =>
    CreditLedger.of({
      ...ledger,
      run: (operation) => Effect.tap(ledger.run(operation), () => Console.log(`ledger: ${operation.name}`))
    })
  )
)
