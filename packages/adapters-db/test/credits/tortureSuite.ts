import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { type Fault, FAULTS } from "../faults/FaultyWire.ts"
import { openRack, type Outcome, type Rack, torture, type Way, waysOf } from "./torture.ts"
import { type Scenario, scenarios } from "./tortureScenarios.ts"

/** An operation, one way it comes, and what becomes of it when nothing goes wrong. */
export interface Tried {
  readonly scenario: Scenario
  readonly way: Way
  /** The way's place among those in which the operation is tried, and how many there are. */
  readonly place: readonly [place: number, ways: number]
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
      const ways = waysOf(scenario, all)
      it.each(ways)(`${name}, %s, ends as if nothing had happened`, { timeout: 300_000 }, async (way) => {
        const expected = await Effect.runPromise(torture(rack, scenario, way, new Map()))
        expect(expected.requests.length).toBeGreaterThan(0)
        await check({ scenario, way, place: [ways.indexOf(way), ways.length], rack, expected })
      })
    }
  })

/** Each request in turn, refused or cut in each way there is. */
export const everyFault = (tried: Tried): Promise<void> => oneFaultEach(tried, () => FAULTS)

/**
 * Each request in turn, refused or cut in some of the ways there are. An operation that comes in several ways meets
 * every fault in each of its places, each in one of the ways that it comes; another request begins with another fault.
 * A COMMIT, whose end may stay unknown, meets every fault wherever it comes.
 */
export const dealtFaults = (tried: Tried): Promise<void> =>
  oneFaultEach(tried, (at) => {
    const [place, ways] = tried.place
    if (tried.expected.requests[at]?.endsWith("COMMIT") === true) return FAULTS
    return FAULTS.filter((_, fault) => (fault + at) % ways === place)
  })

const oneFaultEach = async (
  { scenario, way, rack, expected }: Tried,
  faultsAt: (at: number) => ReadonlyArray<Fault>
): Promise<void> => {
  for (const at of expected.requests.keys()) {
    for (const fault of faultsAt(at)) {
      const what = `${fault}: request ${at}, ${expected.requests[at]?.slice(0, 60)}`
      const { answer, stored } = await Effect.runPromise(torture(rack, scenario, way, new Map([[at, fault]])))
      expect(stored, what).toEqual(expected.stored)
      // What goes over many accounts tells only what was left to do.
      if (scenario.alone !== true) expect(answer, what).toEqual(expected.answer)
    }
  }
}
