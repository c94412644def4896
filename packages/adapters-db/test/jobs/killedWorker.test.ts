import { Effect } from "effect"
import { describe, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { killOneOfTwo } from "./killedWorker.ts"

describe.runIf(hasPostgres)("a killed server process", () => {
  it("leaves its documents to another one, which goes on with them by itself", async () => {
    // Waits for it, a minute and a half at most: its speed is measured in a test that runs alone.
    await Effect.runPromise(killOneOfTwo)
  })
})
