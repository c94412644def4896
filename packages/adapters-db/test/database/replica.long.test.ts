import { createParley } from "@parley/core"
import { ChatModels, DocumentParser, DocumentUnreadable, LaggingReads } from "@parley/core/adapter"
import { ledgerOfStores } from "@parley/core/testing"
import { Effect } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type OpenDatabase, openDatabase } from "../../src/openDatabase.ts"
import { ReplicatedServer } from "../faults/ReplicatedServer.ts"

const parser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "Not read here." })) })
const models = ChatModels.of({ resolve: () => Effect.die(new Error("No model is asked.")) })
const USER = "ann"

let server: ReplicatedServer
let database: OpenDatabase
let replica: pg.Client

beforeAll(async () => {
  server = await ReplicatedServer.start()
  database = await openDatabase({ url: server.url, replicaUrl: server.replicaUrl })
  replica = new pg.Client({ connectionString: server.replicaUrl })
  replica.on("error", () => undefined)
  await replica.connect()
  await Effect.runPromise(ledgerOfStores(database).open({ userId: USER, tier: "free", allowance: 100 }))
})

afterAll(async () => {
  await replica.end()
  await database.close()
  await server[Symbol.asyncDispose]()
})

/** Asks until an answer is right. */
const until = async <A>(ask: () => Promise<A>, isRight: (answer: A) => boolean): Promise<void> => {
  while (!isRight(await ask())) await new Promise((resolve) => setTimeout(resolve, 50))
}

const records = () => database.creditRecords
const counted = (isLagging: boolean) =>
  Effect.runPromise(
    Effect.provideService(
      records().history({ userId: USER, limit: 1, offset: 0, type: undefined }),
      LaggingReads,
      isLagging
    )
  ).then(({ total }) => total)

const grant = (key: string) =>
  Effect.runPromise(ledgerOfStores(database).grant({ userId: USER, amount: 1, key, type: "grant" }))

/** Grants credits until a read shows that it came from the replica, which has stopped to replay; returns all grants. */
const readFromReplica = async (key: string): Promise<number> => {
  for (let count = 1; ; count += 1) {
    await replica.query("SELECT pg_wal_replay_pause()")
    await grant(`${key} ${count}`)
    const current = await counted(false)
    const shown = await counted(true)
    if (shown === current - 1) return current
    expect(shown).toBe(current)
    await replica.query("SELECT pg_wal_replay_resume()")
  }
}

it("a history comes from the replica while that is fresh, and a balance never does", { timeout: 60_000 }, async () => {
  const parley = await createParley({ ...database, parser, models })
  const history = async () => (await parley.credits.history({ userId: USER, limit: 9, offset: 0 })).total
  try {
    const before = await counted(false)
    const current = await readFromReplica("seen late")
    expect(await history()).toBe(current - 1)
    expect((await parley.credits.balance(USER)).available).toBe(100 + current - before)
    // It lags further and further, and is not asked any more after five seconds.
    const paused = performance.now()
    await until(history, (total) => total === current)
    expect(performance.now() - paused).toBeLessThan(20_000)
  } finally {
    await replica.query("SELECT pg_wal_replay_resume()")
    await parley.close()
  }
})

it("a read within a unit of work sees the unit's own rows, also if it may lag", async () => {
  const before = await counted(false)
  const unit = Effect.andThen(
    ledgerOfStores(database).grant({ userId: USER, amount: 1, key: "in a unit", type: "grant" }),
    Effect.provideService(records().history({ userId: USER, limit: 1, offset: 0, type: undefined }), LaggingReads, true)
  )
  const { total } = await Effect.runPromise(database.unitOfWork.run(USER, unit))
  expect(total).toBe(before + 1)
})

it("a replica that ends while it is fresh costs no answer", { timeout: 60_000 }, async () => {
  const current = await readFromReplica("before the end")
  await server.stopReplica()
  for (let ask = 0; ask < 20; ask += 1) expect(await counted(true)).toBe(current)
})
