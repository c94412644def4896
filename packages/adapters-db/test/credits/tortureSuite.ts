import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { FAULTS } from "../faults/FaultyWire.ts"
import { openRack, type Outcome, type Rack, torture, type Way, waysOf } from "./torture.ts"
import { type Scenario, scenarios } from "./tortureScenarios.ts"

/** An operation, one way it comes, and what becomes of it when nothing goes wrong. */
export interface Tried {
  readonly scenario: Scenario
  readonly way: Way
  readonly rack: Rack
  readonly expected: Outcome
}

/** Every operation, each way it can come, checked against what it does when nothing goes wrong. */
export const tortureSuite = (title: string, all: boolean, check: (tried: Tried) => Promise<void>) =>
  describe.runIf(hasPostgres)(title, () => {
    const scope = Scope.makeUnsafe()
    let rack: Rack
    beforeAll(async () => {
      rack = await Effect.runPromise(Scope.provide(openRack, scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    for (const [name, scenario] of Object.entries(scenarios)) {
      it.each(waysOf(scenario, all))(
        `${name}, %s, ends as if nothing had happened`,
        { timeout: 300_000 },
        async (way) => {
          const expected = await Effect.runPromise(torture(rack, scenario, way, new Map()))
          expect(expected.requests.length).toBeGreaterThan(0)
          await check({ scenario, way, rack, expected })
        }
      )
    }
  })

/** Each request in turn, refused or cut in each of the ways. */
export const oneFaultEach = async ({ scenario, way, rack, expected }: Tried): Promise<void> => {
  for (const at of expected.requests.keys()) {
    for (const fault of FAULTS) {
      const what = `${fault}: request ${at}, ${expected.requests[at]?.slice(0, 60)}`
      const { answer, stored } = await Effect.runPromise(torture(rack, scenario, way, new Map([[at, fault]])))
      expect(stored, what).toEqual(expected.stored)
      // What goes over many accounts tells only what was left to do.
      if (scenario.alone !== true) expect(answer, what).toEqual(expected.answer)
    }
  }
}
