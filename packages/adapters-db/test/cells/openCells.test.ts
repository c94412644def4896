import { ledgerOfStores, newBot, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { type OpenDatabase, openDatabase } from "../../src/openDatabase.ts"
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
      expect(await database.move(bob, "first")).toBe(0)
      for (const userId of [ann, bob])
        await run(ledgerOfStores(database).open({ userId, tier: "free", allowance: 100 }))
      expect(await database.absentCells()).toEqual([])
      await database.checkReadiness()
      await expect(database.move(ann, "third")).rejects.toMatchObject({ _tag: "MoveRefused", names: ["third"] })
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

  it("knows the customers and public keys of a database that was opened alone before", () =>
    withServer(async (url) => {
      const [first, second] = [cell(url, "first"), cell(url, "second")]
      const [ann, ben, cem] = [newUserId(), newUserId(), newUserId()]
      const link = (stores: OpenDatabase, userId: string, customerId: string) =>
        run(stores.billing.link({ userId, customerId, replaces: undefined }))
      const bots = [newBot(ann), newBot(ann)]
      const alone = await openDatabase(first)
      await link(alone, ann, "cus_1")
      await run(alone.bots.insert(bots[0]!, 9))
      const database = await openCells({ global: "first", cells: { first, second } })
      for (const userId of [ben, cem]) await database.move(userId, "second")
      const find = (bot: (typeof bots)[number]) => run(database.publishedBots.findByKey(bot.keys[0]?.publicKey ?? ""))
      expect(await find(bots[0]!)).toMatchObject({ owner: ann })
      expect(await link(database, ben, "cus_1")).toEqual({ customerId: undefined, waiting: [] })
      // A process that does not know of the cells yet.
      await link(alone, newUserId(), "cus_2")
      await run(alone.bots.insert(bots[1]!, 9))
      expect(await find(bots[1]!)).toBeUndefined()
      await link(database, cem, "cus_3")
      const mended = await database.mendDirectory()
      expect(mended.get("first")).toEqual({ references: 1, keys: 1, conflicts: [] })
      expect(mended.get("second")).toEqual({ references: 0, keys: 0, conflicts: [] })
      expect(await find(bots[1]!)).toMatchObject({ owner: ann })
      expect(await link(database, ben, "cus_2")).toEqual({ customerId: undefined, waiting: [] })
      await link(alone, newUserId(), "cus_3")
      expect((await database.mendDirectory()).get("first")?.conflicts).toEqual(["customer:cus_3"])
      await alone.close()
      await database.close()
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

describe.runIf(hasPostgres)("moves over open cells", { timeout: 240_000 }, () => {
  const STALE = { refreshMs: Number.POSITIVE_INFINITY }
  /** Two servers over two cells, of which the second one reads the directory when it opens, and never again. */
  const withTwo = (use: (first: OpenCells, stale: OpenCells) => Promise<void>) =>
    run(
      Effect.scoped(
        Effect.flatMap(freshPostgres, (url) =>
          Effect.promise(async () => {
            const cells = { first: { url, schema: "first", maxConnections: 3 }, second: { url, schema: "second" } }
            const [one, stale] = [
              await openCells({ global: "first", cells }),
              await openCells({ global: "first", cells, directory: STALE })
            ]
            await run(stale.preferences.get(newUserId()))
            await use(one, stale)
            await Promise.all([one.close(), stale.close()])
          })
        )
      )
    )
  const open = (stores: OpenCells, userId: string) =>
    run(ledgerOfStores(stores).open({ userId, tier: "free", allowance: 100 }))

  it("move an owner with all rows, say so before if asked to, and erase the remaining rows", () =>
    withTwo(async (one, stale) => {
      const ann = newUserId()
      await open(one, ann)
      const rows = await one.move(ann, "second", { dryRun: true })
      expect(rows).toBeGreaterThan(2)
      expect(await one.unfinishedMoves()).toEqual([])
      expect(await one.move(ann, "second")).toBe(rows)
      expect(await one.move(ann, "second")).toBe(0)
      expect(await one.leftOwners()).toEqual([{ cell: "first", owners: 1 }])
      expect(await one.eraseMoved({ olderThanMs: 60_000 })).toBe(0)
      expect(await one.finishMoves()).toBe(0)
      expect(await one.eraseMoved({ olderThanMs: 0 })).toBe(1)
      expect(await one.leftOwners()).toEqual([])
      for (const stores of [one, stale]) expect((await run(stores.creditRecords.account(ann))).allowance).toBe(100)
    }))

  it("give a bucket away only if no owner lives there by it, and then refuse its new owners", () =>
    withTwo(async (one, stale) => {
      const ann = newUserId()
      const bucket = bucketOf(ann)
      const sameBucket = () => {
        for (;;) {
          const other = newUserId()
          if (bucketOf(other) === bucket) return other
        }
      }
      await open(one, ann)
      await expect(one.assign("second", [bucket])).rejects.toMatchObject({
        _tag: "AssignRefused",
        problem: "has-owners",
        owners: [ann]
      })
      const bob = sameBucket()
      await open(one, bob)
      // Those who were moved away, or back, live by name.
      for (const owner of [ann, bob]) await one.move(owner, "second")
      await one.move(bob, "first")
      await one.assign("second", [bucket])
      const cem = sameBucket()
      await open(stale, cem)
      expect(await one.move(cem, "second")).toBe(0)
      expect((await run(one.creditRecords.account(cem))).allowance).toBe(100)
      // Ann and Bob still can be written where they live.
      for (const owner of [ann, bob])
        await run(stale.preferences.set(owner, { instructions: "Be brief.", modelId: null }))
      // Back again: the former cell accepts new owners of the bucket.
      await one.move(cem, "first")
      await one.assign("first", [bucket])
      const dan = sameBucket()
      await open(one, dan)
      expect(await one.move(dan, "first")).toBe(0)
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
