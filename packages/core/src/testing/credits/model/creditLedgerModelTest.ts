import { Effect, Exit, Layer, Scope } from "effect"
import { type CreditPorts } from "../../../credits/CreditLedger.ts"
import { ledgerIn, type TestedLedger } from "../testedLedger.ts"
import fc from "fast-check"
import { afterAll, beforeAll, describe, it } from "vitest"
import { checkCreditHistory, creditHistories } from "./creditHistory.ts"

export interface CreditLedgerModelOptions {
  /** The number of random histories. */
  readonly histories: number
  /**
   * The seed of an earlier run, to play its histories again: a run that fails prints its seed, and the path to the
   * history.
   */
  readonly seed?: number | undefined
  /** The path to one history, which is repeated together with the seed. */
  readonly path?: string | undefined
}

/**
 * Plays random histories of concurrent calls on one or several ledgers over the same accounts, and compares every
 * answer and every balance with a plain model. `open` returns the ledgers, one for each simulated process; it is called
 * once.
 */
export const creditLedgerModelTest = <E>(
  name: string,
  open: Effect.Effect<ReadonlyArray<TestedLedger>, E, Scope.Scope>,
  { histories, seed, path }: CreditLedgerModelOptions
): void => {
  describe(`CreditLedger against its model: ${name}`, () => {
    const scope = Scope.makeUnsafe()
    let ledgers: ReadonlyArray<TestedLedger>
    beforeAll(async () => {
      ledgers = await Effect.runPromise(Scope.provide(open, scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    it(
      `${histories} histories of concurrent calls are each explained by some order of them`,
      { timeout: 1_800_000 },
      () =>
        fc.assert(
          fc.asyncProperty(creditHistories, (history) => Effect.runPromise(checkCreditHistory(ledgers, history))),
          { numRuns: histories, ...(seed === undefined ? {} : { seed }), ...(path === undefined ? {} : { path }) }
        )
    )
  })
}

/** Returns the ledger of a layer, for `creditLedgerModelTest`. */
export const ledgerOf = <E>(layer: Layer.Layer<CreditPorts, E>): Effect.Effect<TestedLedger, E, Scope.Scope> =>
  Effect.map(Layer.build(layer), (context) => ledgerIn(context))
