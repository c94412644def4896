import { describe, expect, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { killRounds } from "./killRounds.ts"
import { firstSeed } from "./seeds.ts"

const ROUNDS = 3

describe.runIf(hasPostgres)("a server that is killed under load", () => {
  it("starts again, no reply is left running, and each charge has exactly its text", async () => {
    const met = await killRounds(ROUNDS, firstSeed())
    expect(met).toHaveLength(ROUNDS)
  })
})
