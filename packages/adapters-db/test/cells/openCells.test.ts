import { ledgerOfStores, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { openCells } from "../../src/cells/openCells.ts"
import { openDatabase } from "../../src/openDatabase.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const run = Effect.runPromise
const ABSENT = { url: "postgres://parley@127.0.0.1:1/none" }

describe.runIf(hasPostgres)("openCells", () => {
  const withServer = (use: (url: string) => Promise<void>) =>
    run(Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => use(url)))))
  const cell = (url: string, schema: string) => ({ url, schema, maxConnections: 3 })

  it("stores each person in one cell, and is ready while the directory and one cell answer", () =>
    withServer(async (url) => {
      const [first, second] = [cell(url, "first"), cell(url, "second")]
      const database = await openCells({ global: "first", cells: { first, second } })
      const [ann, bob] = [newUserId(), newUserId()]
      await database.assign("second", [bucketOf(ann)])
      await database.place(bob, "first")
      for (const userId of [ann, bob])
        await run(ledgerOfStores(database).open({ userId, tier: "free", allowance: 100 }))
      expect(await database.absentCells()).toEqual([])
      await database.checkReadiness()
      await expect(database.place(ann, "third")).rejects.toMatchObject({ _tag: "CellNotOpen", cell: "third" })
      await database.close()
      for (const [options, here, there] of [[first, bob, ann] as const, [second, ann, bob] as const]) {
        const alone = await openDatabase({ ...options, migrate: false })
        expect((await run(alone.creditRecords.account(here))).allowance).toBe(100)
        expect(await run(Effect.flip(alone.creditRecords.account(there)))).toMatchObject({ _tag: "AccountNotFound" })
        await alone.close()
      }
      const rest = await openCells({ global: "first", cells: { first, second: ABSENT }, migrate: false })
      await rest.checkReadiness()
      expect(await rest.absentCells()).toEqual(["second"])
      expect((await run(rest.creditRecords.account(bob))).allowance).toBe(100)
      expect(await run(Effect.flip(rest.creditRecords.account(ann)))).toMatchObject({ cell: "second", retryable: true })
      await rest.close()
    }))

  it("keeps the directory in a database of its own, and is not ready if no cell answers", () =>
    withServer(async (url) => {
      const global = cell(url, "shared")
      const database = await openCells({ global, cells: { first: cell(url, "first") } })
      const userId = newUserId()
      await run(ledgerOfStores(database).open({ userId, tier: "free", allowance: 100 }))
      const limit = {
        limits: [{ name: "chat", subject: userId, calls: 1 }],
        windowMs: 60_000,
        leaseMs: 60_000,
        ended: []
      }
      expect(await run(database.callLimiter.admit({ ...limit, lease: crypto.randomUUID() }))).toEqual({
        _tag: "Admitted"
      })
      await database.close()
      const rest = await openCells({ global, cells: { first: ABSENT }, migrate: false })
      await expect(rest.checkReadiness()).rejects.toMatchObject({ _tag: "DatabaseNotReady", problem: "unreachable" })
      await rest.close()
    }))
})

it("refuses names that cannot be those of cells", async () => {
  for (const options of [
    { global: "a", cells: {} },
    { global: "b", cells: { a: {} } },
    { global: {}, cells: { global: {} } },
    { global: "A", cells: { A: {} } }
  ])
    await expect(openCells(options)).rejects.toBeInstanceOf(TypeError)
})
