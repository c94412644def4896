import { describe, expect, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { killRounds } from "./killRounds.ts"
import { firstSeed } from "./seeds.ts"

/** Concurrent servers, each on its own schema. */
const LANES = 4
const ROUNDS = 25

describe.runIf(hasPostgres)("servers that are killed under load", () => {
  it(
    `${LANES * ROUNDS} times over, start again, and everything delivered was charged once by the policy`,
    {
      timeout: 1_500_000
    },
    async ({ annotate }) => {
      const seed = firstSeed()
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        killRounds(ROUNDS, seed + lane * ROUNDS, { judgesLateness: true })
      )
      // All to their ends: a lane that fails leaves no server of another behind.
      await Promise.allSettled(lanes)
      const met = (await Promise.all(lanes)).flat()
      expect(met).toHaveLength(LANES * ROUNDS)
      // Most kills came while replies were being written, and many after their heartbeats.
      expect(met.filter(({ leftHolds }) => leftHolds > 0).length).toBeGreaterThan((LANES * ROUNDS) / 2)
      expect(met.filter(({ recorded }) => recorded > 0).length).toBeGreaterThan((LANES * ROUNDS) / 4)
      const sum = (of: (round: (typeof met)[number]) => number) => met.reduce((total, round) => total + of(round), 0)
      await annotate(
        `${sum(({ replies }) => replies)} replies, ${sum(({ leftHolds }) => leftHolds)} cut off by a kill, ` +
          `${sum(({ recorded }) => recorded)} of them charged for what was recorded.`
      )
    }
  )
})
