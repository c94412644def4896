import { type Layer, ManagedRuntime } from "effect"
import { type CreditPorts } from "../../credits/CreditLedger.ts"
import { testedLedger, type TestedLedger } from "./testedLedger.ts"
import { afterAll, beforeAll, describe } from "vitest"
import { describeCreditHistory, describeGrant, describeOpen } from "./creditAccountContract.ts"
import { describeHoldEnds, describeRepeatedReply, describeReserve } from "./creditHoldContract.ts"
import { describeRenewal } from "./creditRenewalContract.ts"
import { describeReset } from "./creditResetContract.ts"
import { describeCorrections } from "./creditCorrectionContract.ts"
import { describePlans } from "./creditPlanContract.ts"
import { describeTierChanges } from "./creditTierContract.ts"
import { describeVerification } from "./creditVerificationContract.ts"
import { describeUsage } from "./creditUsageContract.ts"
import { describeWork } from "./creditWorkContract.ts"
import { creditTester } from "./creditTester.ts"

/**
 * Tests the guarantees of a `CreditLedger`. `layer` is built once; every test uses accounts of its own. Each law is
 * tested with this number of random `histories`.
 */
export const creditLedgerContract = (name: string, layer: Layer.Layer<CreditPorts, unknown>, histories = 10): void => {
  describe(`CreditLedger: ${name}`, () => {
    const runtime = ManagedRuntime.make(layer)
    let ledger: TestedLedger
    beforeAll(async () => {
      ledger = await runtime.runPromise(testedLedger)
    })
    afterAll(() => runtime.dispose())

    const tester = creditTester(() => ledger)
    describeOpen(tester)
    describeReserve(tester)
    describeHoldEnds(tester)
    describeRepeatedReply(tester)
    describeRenewal(tester)
    describeUsage(tester)
    describeWork(tester)
    describeGrant(tester)
    describeReset(tester)
    describeCorrections(tester, histories)
    describeTierChanges(tester)
    describePlans(tester)
    describeCreditHistory(tester)
    describeVerification(tester)
  })
}
