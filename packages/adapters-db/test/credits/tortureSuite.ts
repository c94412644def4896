import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { type Fault, FAULTS } from "../faults/FaultyWire.ts"
import { type OpenProcess, openRack, type Outcome, type Rack, torture, type Way, waysOf } from "./torture.ts"
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

/** Every operation in each of its ways, compared with its result without faults. */
export const tortureSuite = (
  title: string,
  all: boolean,
  check: (tried: Tried) => Promise<void>,
  processOn?: () => Effect.Effect<OpenProcess, never, Scope.Scope>
) =>
  describe.runIf(hasPostgres)(title, () => {
    const scope = Scope.makeUnsafe()
    let rack: Rack
    beforeAll(async () => {
      rack = await Effect.runPromise(
        Scope.provide(processOn === undefined ? openRack() : Effect.flatMap(processOn(), openRack), scope)
      )
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

const places = new Map(Object.values(scenarios).map((scenario, place) => [scenario, place]))

const isWrite = (request: string | undefined): boolean => request?.includes(".write_credits(") === true
const isCommit = (request: string | undefined): boolean => request?.endsWith("COMMIT") === true

/** The COMMIT of a write: without an answer, it is unknown if it happened. */
const mayStayUnknown = ({ expected: { requests }, scenario }: Tried, at: number): boolean =>
  isCommit(requests[at]) && (scenario.alone === true || isWrite(requests[at - 1]))

/**
 * Each request in turn, refused or cut in some of the possible ways. An operation with several ways meets every fault
 * at its write and at the COMMIT of it, and every fourth fault at its reads, each in one of its ways. Another request,
 * and the next operation, which reads almost the same, begin with another fault.
 */
export const dealtFaults = (tried: Tried): Promise<void> =>
  oneFaultEach(tried, (at) => {
    const [place, ways] = tried.place
    if (isWrite(tried.expected.requests[at]) || mayStayUnknown(tried, at)) {
      return FAULTS.filter((_, fault) => (fault + at) % ways === place)
    }
    const turn = at + (places.get(tried.scenario) ?? 0)
    return FAULTS.filter((_, fault) => (fault + turn) % 4 === 0 && (Math.floor(fault / 2) + at) % ways === place)
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
      // Work on many accounts returns only the part that was left.
      if (scenario.alone !== true) expect(answer, what).toEqual(expected.answer)
    }
  }
}
