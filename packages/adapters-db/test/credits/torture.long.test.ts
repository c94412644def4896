import { Effect } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { FAULTS } from "../faults/FaultyWire.ts"
import { torture } from "./torture.ts"
import { everyFault, tortureSuite } from "./tortureSuite.ts"

/** Two or three faults on the way of one operation: also on the way of what makes up for the first. */
const manyFaults = fc
  .uniqueArray(fc.tuple(fc.nat(11), fc.constantFrom(...FAULTS)), {
    minLength: 2,
    maxLength: 3,
    selector: ([at]) => at
  })
  .map((faults) => new Map(faults))

tortureSuite("every request of an operation refused, and its connection cut, once", true, everyFault)

tortureSuite(
  "several requests of an operation refused, and its connections cut",
  true,
  ({ rack, scenario, way, expected }) =>
    fc.assert(
      fc.asyncProperty(manyFaults, async (faults) => {
        const { stored } = await Effect.runPromise(torture(rack, scenario, way, faults))
        expect(stored).toEqual(expected.stored)
      }),
      { numRuns: 100 }
    )
)
