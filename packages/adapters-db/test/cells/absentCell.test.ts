import type { StoragePorts } from "@parley/core"
import { jobHandler, ProcessDocument, StorageFailed } from "@parley/core/adapter"
import { newDocument, ampleQuota } from "@parley/core/testing"
import { Effect } from "effect"
import { expect, it, vi } from "vitest"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { routeStores } from "../../src/cells/routing/routeStores.ts"
import { awayStores, MemoryDirectory, memoryStores, noSharedRows } from "./memoryCells.ts"

const run = Effect.runPromise
const CELLS = ["a", "b", "c"]

/** Three cells of which `b` is away, and an owner in each; `joined` are those that the directory has. */
const setUp = (joined = CELLS) => {
  const source = new MemoryDirectory(CELLS)
  source.cells.splice(0, Infinity, ...joined)
  const cells = new Map(CELLS.map((name) => [name, memoryStores()]))
  const broken = new Map([...cells, ["b", awayStores(cells.get("b") as StoragePorts)] as const])
  const [a = memoryStores()] = cells.values()
  const owners: Record<string, string> = {}
  for (let index = 0; Object.keys(owners).length < CELLS.length; index += 1) {
    const owner = `owner-${index}`
    owners[source.cellOf(owner) ?? ""] ??= owner
  }
  const directory = new Directory(source, { refreshMs: 0 })
  return { owners, source, directory, cells, stores: routeStores(broken, directory, a, noSharedRows) }
}

it("only the people of a cell that does not answer get failures, and those name the cell", async () => {
  const { owners, stores } = setUp()
  for (const [cell, owner] of Object.entries(owners)) {
    const calls: ReadonlyArray<Effect.Effect<unknown, StorageFailed>> = [
      stores.preferences.get(owner),
      stores.chats.list({ userId: owner, limit: 1, offset: 0 }),
      stores.unitOfWork.run(owner, stores.documents.insert(newDocument(owner), ampleQuota))
    ]
    for (const call of calls) {
      const failure = await run(
        Effect.match(Effect.asVoid(call), { onSuccess: () => undefined, onFailure: (error) => error })
      )
      if (cell === "b") expect(failure).toMatchObject({ _tag: "StorageFailed", cell: "b", retryable: true })
      else expect(failure).toBeUndefined()
    }
  }
})

it("sweeps, registrations and claims go on in the cells that answer; a report without a cell fails", async () => {
  const { owners, stores } = setUp()
  const destination = { id: "hook:test", types: ["document.ready"] as const }
  await run(stores.outbox.subscribe({ destinations: [destination], lowBelow: undefined }))
  for (const cell of ["a", "c"]) {
    const owner = owners[cell] ?? ""
    const data = { account: owner, documentId: crypto.randomUUID(), filename: "a.txt", pages: 1, passages: 1 }
    await run(stores.outbox.publish({ type: "document.ready", at: 1, data } as never))
  }
  expect(await run(stores.outbox.claim({ destination: destination.id, limit: 9, leaseMs: 1_000 }))).toHaveLength(2)
  expect(await run(stores.creditUpkeep.sweep({ limit: 9 }))).toMatchObject({ charged: 0, released: 0 })
  expect(await run(stores.outbox.prune({ limit: 9 }))).toBe(0)
  await run(stores.workers.beat(crypto.randomUUID()))
  expect(await run(stores.workers.state({ aliveMs: 60_000 }))).toMatchObject({ alive: 1 })
  const days = { firstDay: 0, lastDay: 1 }
  expect(await run(Effect.flip(stores.moneyRecords.charges(days)))).toMatchObject({ cell: "b" })
  const found = await run(stores.access.since(5))
  expect(found.asOf).toBe(5)
})

it("a worker works on the jobs of the cells that answer", async () => {
  const { owners, stores } = setUp()
  const owner = owners["c"] ?? ""
  const documentId = crypto.randomUUID()
  await run(stores.jobs.enqueue(owner, ProcessDocument, { documentId }))
  const done = Promise.withResolvers<string>()
  const handler = jobHandler(ProcessDocument, ({ payload }) => Effect.sync(() => done.resolve(payload.documentId)))
  const work = Effect.andThen(
    stores.jobs.work([handler]),
    Effect.promise(() => done.promise)
  )
  expect(await run(Effect.scoped(work))).toBe(documentId)
})

it("a call over several owners reaches the cells that answer", async () => {
  const { owners, stores } = setUp()
  const holds = Object.values(owners).map((userId) => ({ userId, key: "reply:1", outputTokens: 1 }))
  const renewed = await run(stores.ledger.renew({ holds, ttlMs: 1_000 }))
  expect(renewed.renewed).toBe(0)
  expect(renewed.gone.map(({ userId }) => userId).toSorted()).toEqual([owners["a"], owners["c"]].toSorted())
  const beats = holds.map((hold) => ({ hold }))
  const beaten = await run(stores.runningReplies.write({ beats, ttlMs: 1_000 }))
  expect(beaten.map(({ isHoldGone }) => isHoldGone)).toEqual(holds.map(({ userId }) => userId !== owners["b"]))
})

it("a failure of the work itself passes unchanged", async () => {
  const { owners, stores } = setUp()
  const failure = new StorageFailed({ operation: "Test.work", retryable: false, cause: new Error("no") })
  const ended = await run(Effect.flip(stores.unitOfWork.run(owners["a"] ?? "", Effect.fail(failure))))
  expect(ended).toBe(failure)
})

it("events for a destination are registered in a cell before the directory has it", async () => {
  const { cells, directory, stores } = setUp(["a"])
  await run(directory.refresh)
  const destination = { id: "hook:test", types: ["document.ready"] as const }
  await run(stores.outbox.subscribe({ destinations: [destination], lowBelow: undefined }))
  const records = cells.get("c")?.deliveryRecords.destinations ?? Effect.succeed([])
  expect(await run(records)).toMatchObject([{ id: destination.id }])
})

it("a list of a process that was idle includes the cells that have joined meanwhile", async () => {
  const { directory, stores } = setUp()
  directory.noteCells(["a", "c"])
  const idle = vi.spyOn(performance, "now").mockReturnValue(1e9)
  try {
    const charges = stores.moneyRecords.charges({ firstDay: 0, lastDay: 1 })
    expect(await run(Effect.flip(charges))).toMatchObject({ cell: "b" })
  } finally {
    idle.mockRestore()
  }
})

it("a cell that the directory does not have is in no list, report or sweep, until the directory has it", async () => {
  const { directory, source, stores } = setUp(["a", "c"])
  await run(directory.refresh)
  const charges = stores.moneyRecords.charges({ firstDay: 0, lastDay: 1 })
  expect(await run(charges)).toEqual([])
  const { next } = await run(stores.jobs.list(undefined, { limit: 9 }))
  expect(next).toBeUndefined()
  expect(await run(stores.paymentEvents.find(["evt_1"]))).toEqual([])
  expect(await run(stores.workers.state({ aliveMs: 60_000 }))).toMatchObject({ alive: 0 })
  source.cells.push("b")
  await expect
    .poll(() => run(Effect.match(charges, { onSuccess: () => undefined, onFailure: ({ cell }) => cell })))
    .toBe("b")
})
