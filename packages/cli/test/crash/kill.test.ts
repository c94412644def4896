import { describe, expect, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { killRounds } from "./killRounds.ts"
import { firstSeed } from "./seeds.ts"

describe.runIf(hasPostgres)("a server that is killed under load", () => {
  it("starts again, and everything delivered was charged once by the policy", async () => {
    const met = await killRounds(1, firstSeed())
    expect(met).toHaveLength(1)
  })
})
