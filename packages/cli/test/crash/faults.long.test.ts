import { describe, expect, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { faultRounds } from "./faultRounds.ts"
import { firstSeed } from "./seeds.ts"

const ROUNDS = 12

describe.runIf(hasPostgres)("a server whose statements of replies fail, get lost or lose their answers", () => {
  it("stores what it delivers, and charges each reply once", { timeout: 600_000 }, async ({ annotate }) => {
    const met = await faultRounds(ROUNDS, firstSeed())
    const faults = met.reduce((sum, round) => sum + round.faults, 0)
    await annotate(`${faults} faults in ${met.reduce((sum, { replies }) => sum + replies, 0)} replies.`)
    expect(faults).toBeGreaterThan(ROUNDS * 10)
  })
})
