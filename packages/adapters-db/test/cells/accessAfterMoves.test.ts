/** Blocks and sign-outs of people who have moved between cells. */
import { AccessStore, RevokedSessions } from "@parley/core/adapter"
import { AccessList } from "@parley/core/effect"
import { newUserId } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const run = Effect.runPromise

/** Two servers over two cells. The second one never reads the changes of the directory after its first call. */
const withServers = (work: (stores: OpenCells, stale: OpenCells) => Promise<void>) =>
  Effect.flatMap(freshPostgres, (url) =>
    Effect.promise(async () => {
      const cells = {
        first: { url, schema: "first", maxConnections: 3 },
        second: { url, schema: "second", maxConnections: 3 }
      }
      const stores = await openCells({ global: "first", cells })
      const stale = await openCells({ global: "first", cells, directory: { refreshMs: Number.POSITIVE_INFINITY } })
      await work(stores, stale).finally(() => Promise.all([stores.close(), stale.close()]))
    })
  ).pipe(Effect.scoped, run)

/** How a process that begins now answers a person. */
const answerTo = (stores: OpenCells, userId: ReturnType<typeof newUserId>) => {
  const ports = Layer.mergeAll(
    Layer.succeed(AccessStore, stores.access),
    Layer.succeed(RevokedSessions, stores.revokedSessions)
  )
  const check = AccessList.use((list) => list.check({ userId, issuedAt: Date.now() + 60_000, token: undefined }))
  const answer = Effect.match(check, { onSuccess: () => "let in", onFailure: ({ _tag }) => _tag })
  return run(Effect.provide(answer, Layer.provide(AccessList.layer, ports)))
}

describe.runIf(hasPostgres)("a person who has moved", { timeout: 120_000 }, () => {
  it("is blocked, or not, as the newest change says, also if an earlier cell has an older record", () =>
    withServers(async (stores) => {
      const ann = newUserId()
      await stores.move(ann, "second")
      await run(stores.access.change({ userId: ann, change: "sign-out" }))
      await stores.move(ann, "first")
      await run(stores.access.change({ userId: ann, change: "block" }))
      expect(await answerTo(stores, ann)).toBe("UserBlocked")
      await stores.move(ann, "second")
      await run(stores.access.change({ userId: ann, change: "unblock" }))
      await stores.move(ann, "first")
      expect(await answerTo(stores, ann)).toBe("let in")
    }))

  it("is blocked in the new cell by a server that has not heard of the move", () =>
    withServers(async (stores, stale) => {
      const [ann, bob] = [newUserId(), newUserId()]
      for (const userId of [ann, bob]) await run(stale.access.find(userId))
      await stores.move(ann, "second")
      await stores.assign("second", [bucketOf(bob)])
      for (const userId of [ann, bob]) {
        await run(stale.access.change({ userId, change: "block" }))
        expect((await run(stores.access.find(userId)))?.blockedAt, userId).toEqual(expect.any(Number))
      }
    }))
})
