import { CreditLedger } from "@parley/core/adapter"
import { Console, Effect, Layer } from "effect"

/** The ledger of the layers below, which tells each of its operations. */
export const toldLedger: Layer.Layer<CreditLedger, never, CreditLedger> = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, (ledger) =>
    CreditLedger.of({
      ...ledger,
      run: (operation) => Effect.tap(ledger.run(operation), () => Console.log(`ledger: ${operation.name}`))
    })
  )
)
