import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { killOneOfTwo } from "./killedWorker.ts"

describe.runIf(hasPostgres)("a killed server process", () => {
  it(
    "leaves its documents to another one, which goes on with them within 10 seconds",
    { timeout: 300_000 },
    async () => {
      const seconds: Array<number> = []
      for (let round = 0; round < 5; round++) seconds.push(...(await Effect.runPromise(killOneOfTwo)))
      expect(Math.max(...seconds), `seconds: ${seconds.join(", ")}`).toBeLessThan(10)
    }
  )
})
