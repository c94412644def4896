/** A cell that the configuration names and the directory does not have yet: its database is a copy of another cell. */
import { jobHandler, loggerLayer, ProcessDocument } from "@parley/core/adapter"
import { Effect } from "effect"
import { expect, it, describe } from "vitest"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { administer } from "../administer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"
import { copyOf, divide, personIn, rowsIn } from "./copiedCells.ts"
import { balanceOf, cutOff, nameOf, openAccount, spend } from "./peopleOfCells.ts"

const run = Effect.runPromise
const cell = (url: string) => ({ url, maxConnections: 4 })

const enqueue = (stores: OpenCells, owner: string) =>
  run(stores.jobs.enqueue(owner, ProcessDocument, { documentId: crypto.randomUUID() }))

interface Copied {
  readonly urls: { readonly first: string; readonly copy: string }
  readonly ann: string
  /** Lives in the second cell after the division. */
  readonly bob: string
  /** The warnings of `open` and `quietly`. */
  readonly warnings: Array<string>
  readonly open: (migrate?: boolean) => Promise<OpenCells>
  readonly quietly: <A, E>(work: Effect.Effect<A, E>) => Promise<A>
}

/** A cell with two people and a job of each, and a copy of its database that is configured as another cell. */
const withCopy = (use: (copied: Copied) => Promise<void>) =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const first = yield* migratedPostgres
        const [ann, bob] = [personIn("lower"), personIn("upper")]
        yield* Effect.promise(async () => {
          const stores = await openCells({ global: "first", cells: { first: cell(first) } })
          for (const person of [ann, bob]) await openAccount(stores, person)
          await enqueue(stores, ann)
          await stores.close()
        })
        const copy = yield* copyOf(first)
        const warnings: Array<string> = []
        const note = (_facts: unknown, message = "") => void warnings.push(String(message))
        const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note }
        const open = (migrate = true) =>
          openCells({ global: "first", cells: { first: cell(first), second: cell(copy) }, migrate, logger })
        const quietly = <A, E>(work: Effect.Effect<A, E>) => run(Effect.provide(work, loggerLayer(logger)))
        yield* Effect.promise(() => use({ urls: { first, copy }, ann, bob, warnings, open, quietly }))
      })
    )
  )

/** The people in a list of all. */
const listed = async (stores: OpenCells): Promise<ReadonlyArray<string>> => {
  const { rows } = await run(
    stores.personalData.list({ search: undefined, blocked: false, after: undefined, limit: 9 })
  )
  return rows.map(({ userId }) => userId)
}

/** Works on the jobs of all cells until it is ended; `owners` are those of the jobs that were done. */
const startWorker = async (stores: OpenCells) => {
  const owners: Array<string> = []
  const handler = jobHandler(ProcessDocument, ({ owner }) => Effect.sync(() => void owners.push(owner)))
  const ending = Promise.withResolvers<void>()
  const ended = run(
    Effect.scoped(
      Effect.andThen(
        stores.jobs.work([handler]),
        Effect.promise(() => ending.promise)
      )
    )
  )
  const stop = () => {
    ending.resolve()
    return ended
  }
  return { owners, stop }
}

describe.runIf(hasPostgres)("a cell whose database is a copy of another one", { timeout: 120_000 }, () => {
  for (const migrate of [true, false])
    it(`takes no part before the directory has it, and nothing is written there, ${migrate ? "with" : "without"} migrations`, () =>
      withCopy(async ({ ann, bob, open, quietly, urls, warnings }) => {
        const stores = await open(migrate)
        expect(warnings).toEqual([expect.stringMatching(/cell second takes no part.* a copy of first .*cells split/)])
        expect(await listed(stores)).toEqual([ann, bob].toSorted())
        expect(await stores.absentCells()).toEqual([])
        expect(await stores.finishMoves()).toBe(0)
        expect(await stores.eraseMoved({ olderThanMs: 0 })).toBe(0)
        expect([...(await stores.mendDirectory()).keys()]).toEqual(["first"])
        await quietly(stores.workers.beat(crypto.randomUUID()))
        await quietly(stores.creditUpkeep.sweep({ limit: 9 }))
        await quietly(stores.outbox.prune({ limit: 9 }))
        expect((await quietly(stores.jobs.list(undefined, { limit: 9 }))).jobs).toHaveLength(1)
        expect(warnings).toHaveLength(1)
        await expect(stores.move(ann, "second")).rejects.toMatchObject({ _tag: "CellNotOpen" })
        await stores.close()
        expect(await rowsIn(urls.first, "SELECT name FROM parley.cells")).toEqual([{ name: "first" }])
        expect(await rowsIn(urls.copy, "SELECT name FROM parley.this_cell")).toEqual([{ name: "first" }])
        for (const [url, count] of [[urls.first, 1] as const, [urls.copy, 0] as const])
          expect(await rowsIn(url, "SELECT 1 FROM parley.workers")).toHaveLength(count)
        expect(await rowsIn(urls.copy, "SELECT tgname FROM pg_trigger WHERE tgname LIKE 'fence%'")).toEqual([])
      }))

  it("takes no part either if a split that was cancelled has left it", () =>
    withCopy(async ({ ann, bob, open, urls, warnings }) => {
      const leave = `UPDATE parley.this_cell SET id = gen_random_uuid(), name = 'second', copy_of = 'first', taken = false`
      await administer(leave, nameOf(urls.copy))
      for (const migrate of [true, false]) {
        const stores = await open(migrate)
        expect(warnings.splice(0)).toEqual([expect.stringMatching(/cell second takes no part.* a copy of first/)])
        expect(await listed(stores)).toEqual([ann, bob].toSorted())
        await stores.close()
      }
      expect(await rowsIn(urls.first, "SELECT name FROM parley.cells")).toEqual([{ name: "first" }])
    }))

  it("takes no part either if its database does not answer", () =>
    withCopy(async ({ ann, bob, open, urls, warnings }) => {
      await administer(`ALTER DATABASE ${nameOf(urls.copy)} ALLOW_CONNECTIONS false`)
      for (const migrate of [true, false]) {
        const stores = await open(migrate)
        expect(warnings.splice(0)).toEqual([expect.stringMatching(/cell second takes no part.* does not answer/)])
        expect(await stores.absentCells()).toEqual([])
        expect(await listed(stores)).toEqual([ann, bob].toSorted())
        await stores.close()
      }
      expect(await rowsIn(urls.first, "SELECT name FROM parley.cells")).toEqual([{ name: "first" }])
    }))

  it("takes part in running servers and workers as soon as the directory has it", () =>
    withCopy(async ({ ann, bob, open, urls }) => {
      const [stores, working] = [await open(), await open()]
      const worker = await startWorker(working)
      for (const done of [[ann], [ann, ann]]) {
        await expect.poll(() => worker.owners, { timeout: 20_000 }).toEqual(done)
        if (done.length === 1) await enqueue(stores, ann)
      }
      expect(await rowsIn(urls.copy, "SELECT state::text FROM parley_boss.job")).toEqual([{ state: "created" }])
      await divide({ ...urls, people: [ann, bob] })
      await expect.poll(() => listed(stores), { timeout: 6_000 }).toEqual([ann, bob].toSorted())
      await spend(stores, bob, "reply:1")
      expect(await balanceOf(stores, bob)).toBe(95)
      expect(
        await rowsIn(urls.copy, `SELECT allowance::integer FROM parley.credit_accounts WHERE user_id = '${bob}'`)
      ).toEqual([{ allowance: 95 }])
      await enqueue(stores, bob)
      await expect.poll(() => worker.owners, { timeout: 30_000 }).toEqual([ann, ann, bob])
      await worker.stop()
      expect(await working.absentCells()).toEqual([])
      // The server has read the identity of the database from the directory.
      const name = nameOf(urls.copy)
      await administer("UPDATE parley.this_cell SET id = gen_random_uuid()", name)
      await administer(cutOff(name))
      expect(await run(Effect.flip(stores.creditRecords.account(bob)))).toMatchObject({ cell: "second" })
      await Promise.all([stores.close(), working.close()])
    }))
})
