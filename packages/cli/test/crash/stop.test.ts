import { describe, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { firstSeed } from "./seeds.ts"
import { answerWhileStopping, stopRounds, stopStarts } from "./stopRounds.ts"

describe.runIf(hasPostgres)("a server that is asked to stop under load", () => {
  it("finishes its replies, charges each once and ends with 0 and no open hold", async () => {
    await stopRounds(1, 0, firstSeed())
  })

  it("reports that it is not ready, and still answers whole new replies during the delay", answerWhileStopping)

  it("ends also while it is starting", () => stopStarts(1, firstSeed()))
})
