import { ledgerOfStores, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { openDatabase } from "../../src/openDatabase.ts"
import { administer } from "../administer.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import { cutOff, nameOf, openAccount } from "./peopleOfCells.ts"

const run = Effect.runPromise

/** Databases of a directory and two cells, whose second one has a person. */
interface Two {
  readonly urls: { readonly first: string; readonly second: string; readonly other: string }
  readonly stores: OpenCells
  readonly ann: string
}

const cell = (url: string) => ({ url, maxConnections: 3 })

const refusal = (problem: string) => ({ _tag: "CellRefused", problem })

const withTwo = (use: (two: Two) => Promise<void>) =>
  run(
    Effect.scoped(
      Effect.flatMap(Effect.all([migratedPostgres, migratedPostgres, migratedPostgres]), ([first, second, other]) =>
        Effect.promise(async () => {
          const stores = await openCells({ global: "first", cells: { first: cell(first), second: cell(second) } })
          const ann = newUserId()
          await stores.assign("second", [bucketOf(ann)])
          await openAccount(stores, ann)
          await use({ urls: { first, second, other }, stores, ann })
          await stores.close()
        })
      )
    )
  )

describe.runIf(hasPostgres)("the database of a cell", { timeout: 120_000 }, () => {
  it("is refused under the name of another one, and nothing is written", () =>
    withTwo(async ({ ann, stores, urls }) => {
      const exchanged = { first: cell(urls.second), second: cell(urls.first) }
      for (const migrate of [true, false]) {
        await expect(openCells({ global: "first", cells: exchanged, migrate })).rejects.toMatchObject({
          ...refusal("alone"),
          cell: "second"
        })
        await expect(openCells({ global: cell(urls.first), cells: exchanged, migrate })).rejects.toMatchObject(
          refusal("other-cell")
        )
      }
      expect((await run(stores.creditRecords.account(ann))).allowance).toBe(100)
    }))

  it("is refused as the only database", () =>
    withTwo(async ({ urls }) => {
      await expect(openDatabase(cell(urls.second))).rejects.toMatchObject({ ...refusal("alone"), cell: "second" })
    }))

  it("is refused under two names of the directory, and takes no part under another one", () =>
    withTwo(async ({ urls }) => {
      const third = cell(`${urls.second}?application_name=third`)
      const cells = { first: cell(urls.first), second: cell(urls.second), third }
      const stores = await openCells({ global: "first", cells, logger: false })
      expect([...(await stores.mendDirectory()).keys()]).toEqual(["first", "second"])
      await stores.close()
      await administer("INSERT INTO parley.cells (name) VALUES ('third')", nameOf(urls.first))
      await expect(openCells({ global: "first", cells })).rejects.toMatchObject({
        ...refusal("other-cell"),
        cell: "third",
        names: ["second"]
      })
      const both = cell(urls.other)
      await expect(openCells({ global: "a", cells: { a: both, b: both } })).rejects.toMatchObject(refusal("other-cell"))
    }))

  it("is refused by another directory", () =>
    withTwo(async ({ urls }) => {
      await expect(
        openCells({ global: "a", cells: { a: cell(urls.other), second: cell(urls.second) } })
      ).rejects.toMatchObject({ ...refusal("other-directory"), cell: "second" })
    }))

  it("is refused without a name under the name of another one, also while a server runs", () =>
    withTwo(async ({ ann, stores, urls }) => {
      await (await openDatabase(cell(urls.other))).close()
      const cells = { first: cell(urls.first), second: cell(urls.other) }
      for (const migrate of [true, false])
        await expect(openCells({ global: "first", cells, migrate })).rejects.toMatchObject(refusal("no-name"))
      // Another database gets the address of the second one.
      await administer([
        cutOff(nameOf(urls.second)),
        cutOff(nameOf(urls.other)),
        `ALTER DATABASE ${nameOf(urls.second)} RENAME TO ${nameOf(urls.second)}_away`,
        `ALTER DATABASE ${nameOf(urls.other)} RENAME TO ${nameOf(urls.second)}`
      ])
      for (let call = 0; call < 3; call += 1)
        expect(
          await run(Effect.flip(ledgerOfStores(stores).open({ userId: ann, tier: "free", allowance: 100 })))
        ).toMatchObject({ _tag: "StorageFailed", cell: "second" })
      expect(await stores.absentCells()).toEqual(["second"])
      await administer([
        cutOff(nameOf(urls.second)),
        `ALTER DATABASE ${nameOf(urls.second)} RENAME TO ${nameOf(urls.other)}`,
        `ALTER DATABASE ${nameOf(urls.second)}_away RENAME TO ${nameOf(urls.second)}`
      ])
      await expect.poll(() => stores.absentCells(), { timeout: 20_000 }).toEqual([])
      expect((await run(stores.creditRecords.account(ann))).allowance).toBe(100)
    }))

  it("is not left out if it has people", () =>
    withTwo(async ({ urls }) => {
      await expect(openCells({ global: "first", cells: { first: cell(urls.first) } })).rejects.toMatchObject({
        ...refusal("left-out"),
        cell: "second"
      })
    }))
})
