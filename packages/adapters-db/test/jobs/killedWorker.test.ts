import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { killOneOfTwo } from "./killedWorker.ts"

describe.runIf(hasPostgres)("a killed server process", () => {
  it("leaves its documents to another one, which goes on with them by itself", async () => {
    // 7 seconds on a quiet machine; the bound leaves room for a busy one, and is half of what a lapse took otherwise.
    for (const seconds of await Effect.runPromise(killOneOfTwo)) expect(seconds).toBeLessThan(20)
  })
})
