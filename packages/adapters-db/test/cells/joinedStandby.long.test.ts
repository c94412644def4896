/** A cell whose database is a streaming replica of another one, which is promoted and then split off. */
import { jobHandler, ProcessDocument } from "@parley/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { hasPostgres } from "../databases.ts"
import { ReplicatedServer } from "../faults/ReplicatedServer.ts"
import { divide, personIn, rowsIn } from "./copiedCells.ts"
import { balanceOf, openAccount, spend } from "./peopleOfCells.ts"

const run = Effect.runPromise
const cell = (url: string) => ({ url, maxConnections: 4 })

const listed = async (stores: OpenCells): Promise<ReadonlyArray<string>> => {
  const { rows } = await run(
    stores.personalData.list({ search: undefined, blocked: false, after: undefined, limit: 9 })
  )
  return rows.map(({ userId }) => userId)
}

describe.runIf(hasPostgres)("a cell whose database is a standby", { timeout: 240_000 }, () => {
  it("takes no part before and after its promotion, also if the directory began beside it, until it is a cell", async () => {
    await using server = await ReplicatedServer.start()
    const urls = { first: server.url, copy: server.replicaUrl }
    const [ann, bob] = [personIn("lower"), personIn("upper")]
    const warnings: Array<string> = []
    const note = (_facts: unknown, message: string) => void warnings.push(message)
    const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note }
    const cells = { first: cell(urls.first), second: cell(urls.copy) }
    const stores = await openCells({ global: "first", cells, logger })
    expect(warnings).toEqual([
      expect.stringMatching(/The cell second takes no part yet: its database is a (copy|standby)/)
    ])
    for (const person of [ann, bob]) await openAccount(stores, person)
    const done: Array<string> = []
    const enqueue = (owner: string) =>
      run(stores.jobs.enqueue(owner, ProcessDocument, { documentId: crypto.randomUUID() }))
    await enqueue(ann)
    const waiting = "SELECT state::text FROM parley_boss.job"
    await expect
      .poll(() => rowsIn(urls.copy, waiting).catch(() => []), { timeout: 60_000 })
      .toEqual([{ state: "created" }])
    expect(await listed(stores)).toEqual([ann, bob].toSorted())

    await rowsIn(urls.copy, "SELECT pg_promote()")
    const handler = jobHandler(ProcessDocument, ({ owner }) => Effect.sync(() => void done.push(owner)))
    const ending = Promise.withResolvers<void>()
    const working = run(
      Effect.scoped(
        Effect.andThen(
          stores.jobs.work([handler]),
          Effect.promise(() => ending.promise)
        )
      )
    )
    await expect.poll(() => done, { timeout: 30_000 }).toEqual([ann])
    expect(await listed(stores)).toEqual([ann, bob].toSorted())
    expect(await rowsIn(urls.copy, waiting)).toEqual([{ state: "created" }])
    await (await openCells({ global: "first", cells, logger })).close()
    expect(warnings.slice(1)).toEqual([expect.stringMatching(/a copy of first/)])

    await divide({ ...urls, people: [ann, bob] })
    await enqueue(bob)
    await expect.poll(() => done, { timeout: 30_000 }).toEqual([ann, bob])
    await spend(stores, bob, "reply:1")
    expect(await balanceOf(stores, bob)).toBe(95)
    expect(await listed(stores)).toEqual([ann, bob].toSorted())
    expect(await stores.absentCells()).toEqual([])
    expect(warnings).toHaveLength(2)
    ending.resolve()
    await working
    await stores.close()
  })
})
