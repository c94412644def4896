/** The cost of routing a call, beside that of the call itself, for few owners and for many. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { routeStores } from "../../src/cells/routing/routeStores.ts"
import { MemoryDirectory, memoryStores, noSharedRows } from "./memoryCells.ts"

const CALLS = 200_000
const NAMES = ["a", "b", "c", "d"]
const answer = Effect.succeed({ instructions: "", modelId: null })

const quickStores = () => ({ ...memoryStores(), preferences: { get: () => answer, set: () => answer } })

/** The median of five rounds, in nanoseconds. */
const costOf = ({ preferences }: ReturnType<typeof memoryStores>, owners: ReadonlyArray<string>): number => {
  const rounds = Array.from({ length: 5 }, () => {
    const began = performance.now()
    Effect.runSync(
      Effect.gen(function* () {
        for (let call = 0; call < CALLS; call += 1) yield* preferences.get(owners[(call * 7_919) % owners.length] ?? "")
      })
    )
    return ((performance.now() - began) * 1e6) / CALLS
  })
  return Math.round(rounds.toSorted((a, b) => a - b)[2] ?? 0)
}

it("routing a call costs microseconds and no statement, for ten owners and for a million", async ({ annotate }) => {
  const source = new MemoryDirectory(NAMES)
  const stores = quickStores()
  const directory = new Directory(source, { refreshMs: Number.POSITIVE_INFINITY })
  await Effect.runPromise(directory.refresh)
  const routed = routeStores(new Map(NAMES.map((name) => [name, quickStores()])), directory, stores, noSharedRows)
  const costs = [10, 1_000, 100_000, 1_000_000].map((count) => {
    const owners = Array.from({ length: count }, (_, index) => `user-${index}-0123456789abcdef`)
    return { owners: count, direct: costOf(stores, owners), routed: costOf(routed, owners) }
  })
  await annotate(JSON.stringify(costs))
  expect(source.statements).toBe(1)
  for (const { routed: cost } of costs) expect(cost).toBeLessThan(50_000)
  expect(costs.at(-1)?.routed).toBeLessThan(4 * (costs[0]?.routed ?? 0))
})
