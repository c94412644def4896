import { expect, it } from "vitest"
import { firstSeed } from "../crash/seeds.ts"
import { reindexRounds } from "./reindexRounds.ts"

/** Schemas at the same time. */
const LANES = 2
const ROUNDS = 26

it(
  `killed at ${2 * ROUNDS} moments of indexing and re-indexing, every document ends ready with the passages of an undisturbed run, and what was paid for and kept is not paid for again`,
  { timeout: 3_600_000 },
  async ({ annotate }) => {
    const seed = firstSeed()
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      reindexRounds(
        rounds.filter((round) => round % LANES === lane),
        ROUNDS,
        seed
      )
    )
    await Promise.allSettled(lanes)
    const met = (await Promise.all(lanes)).flat()
    expect(met).toHaveLength(2 * ROUNDS)
    // Most kills came in the middle of the work, and some near a switch.
    const between = met.filter(({ killedAt, of, paid }) => killedAt !== undefined && paid > 0 && paid < of)
    expect(between.length).toBeGreaterThan(ROUNDS)
    expect(met.filter(({ killedAt }) => killedAt?.endsWith("a switch")).length).toBeGreaterThan(ROUNDS / 3)
    const twice = met.reduce((sum, each) => sum + each.twice, 0)
    await annotate(
      `Seed ${seed}: ${between.length} kills in the middle; ${twice} texts paid for twice. ${JSON.stringify(met.map((each) => [each.killedAt, each.paid, each.twice]))}`
    )
  }
)
