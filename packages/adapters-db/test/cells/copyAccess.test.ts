import { ledgerOfStores, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { openCells } from "../../src/cells/openCells.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const run = Effect.runPromise

describe.runIf(hasPostgres)("blocks and sign-outs", () => {
  it("stay when a person is moved, or when the bucket of a person without an account is assigned", () =>
    run(
      Effect.scoped(
        Effect.flatMap(freshPostgres, (url) =>
          Effect.promise(async () => {
            const cells = { first: { url, schema: "first", maxConnections: 3 }, second: { url, schema: "second" } }
            const stores = await openCells({ global: "first", cells })
            const [ann, bob] = [newUserId(), newUserId()]
            await run(ledgerOfStores(stores).open({ userId: ann, tier: "free", allowance: 100 }))
            for (const userId of [ann, bob]) await run(stores.access.change({ userId, change: "block" }))
            await stores.move(ann, "second")
            await stores.assign("second", [bucketOf(bob)])
            for (const userId of [ann, bob])
              expect((await run(stores.access.find(userId)))?.blockedAt).toEqual(expect.any(Number))
            await run(stores.access.change({ userId: ann, change: "unblock" }))
            await stores.move(ann, "first")
            expect((await run(stores.access.find(ann)))?.blockedAt).toBeUndefined()
            await stores.close()
          })
        )
      )
    ))
})
