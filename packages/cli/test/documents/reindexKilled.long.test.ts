import { expect, it } from "vitest"
import { firstSeed } from "../crash/seeds.ts"
import { reindexRounds } from "./reindexRounds.ts"

/** Schemas at the same time. */
const LANES = 2
const ROUNDS = 13

it(
  `killed at ${2 * LANES * ROUNDS} moments of indexing and re-indexing, every document ends ready with the passages of an undisturbed run, each paid for once`,
  { timeout: 2_400_000 },
  async ({ annotate }) => {
    const seed = firstSeed()
    const lanes = Array.from({ length: LANES }, (_, lane) => reindexRounds(ROUNDS, seed + lane * ROUNDS))
    await Promise.allSettled(lanes)
    const met = (await Promise.all(lanes)).flat()
    expect(met).toHaveLength(2 * LANES * ROUNDS)
    // Most kills came in the middle of the work.
    expect(met.filter(({ of, paid }) => paid > 0 && paid < of).length).toBeGreaterThan(LANES * ROUNDS)
    const twice = met.reduce((sum, each) => sum + each.twice, 0)
    await annotate(
      `${met.filter(({ of, paid }) => paid > 0 && paid < of).length} kills in the middle; ${twice} texts paid for twice.`
    )
  }
)
