import { mkdtempSync, rmSync } from "node:fs"
import { ledgerOfStores } from "@parley/core/testing"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { causeCode, jobHandler, makeInMemoryEmbedder, PassageWriter, ProcessDocument } from "@parley/core/adapter"
import { isParleyError } from "@parley/core"
import { ampleQuota, indexPassages, newDocument, newTurn, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openEngine } from "../src/database/embedded/openEngine.ts"
import { migrateDatabase, type OpenDatabase, openDatabase, type OpenDatabaseOptions } from "../src/openDatabase.ts"
import type { DatabaseNotReady } from "../src/readiness.ts"
import { freshPostgres, hasPostgres } from "./databases.ts"

const run = Effect.runPromise

/** One of everything through the ports, as a service would use them. */
const useEverything = async (database: OpenDatabase) => {
  const userId = newUserId()
  const document = newDocument(userId)
  const turn = newTurn(userId)
  await run(ledgerOfStores(database).open({ userId, tier: "free", allowance: 100 }))
  await run(database.chats.beginTurn(turn))
  const upload = Effect.gen(function* () {
    yield* database.documents.insert(document, ampleQuota)
    yield* database.files.write({ userId, documentId: document.id, bytes: new Uint8Array([1, 2]) })
    yield* database.jobs.enqueue(userId, ProcessDocument, { documentId: document.id })
  })
  await run(database.unitOfWork.run(userId, upload))
  const passage = { ordinal: 0, page: null, start: 0, end: 13, text: "Annual growth" }
  const indexing = indexPassages({ userId, documentId: document.id }, [passage])
  await run(Effect.provideService(indexing, PassageWriter, database.passageWriter))
  return { userId, document, turn }
}

const expectEverything = async (
  database: OpenDatabase,
  { userId, document, turn }: Awaited<ReturnType<typeof useEverything>>
) => {
  expect((await run(database.creditRecords.account(userId))).allowance).toBe(100)
  expect((await run(database.chats.list({ userId, limit: 10, offset: 0 }))).chats[0]?.id).toBe(turn.chatId)
  expect(await run(database.files.read({ userId, documentId: document.id }))).toHaveLength(2)
  const job = Promise.withResolvers<string>()
  const work = Effect.scoped(
    Effect.andThen(
      database.jobs.work([
        jobHandler(ProcessDocument, ({ payload }) => Effect.sync(() => job.resolve(payload.documentId)))
      ]),
      Effect.promise(() => job.promise)
    )
  )
  expect(await run(work)).toBe(document.id)
}

/** Replies that are charged in the background ask until the database answers: of one that was closed, never again. */
const expectFinal = async (database: OpenDatabase) => {
  const userId = newUserId()
  await run(ledgerOfStores(database).open({ userId, tier: "free", allowance: 100 }))
  await database.close()
  await expect(run(ledgerOfStores(database).release({ userId, key: "reply:1" }))).rejects.toMatchObject({
    retryable: false
  })
  await expect(run(database.chats.list({ userId, limit: 10, offset: 0 }))).rejects.toMatchObject({ retryable: false })
}

/** The reason why it is not ready, undefined if it is: asked again while a busy machine delays its answer. */
const problemOf = async (database: OpenDatabase): Promise<string | undefined> => {
  for (;;) {
    const problem = await database.checkReadiness().then(
      () => undefined,
      (error: DatabaseNotReady) => error.problem
    )
    if (problem !== "slow") return problem
  }
}

describe("openDatabase on the embedded database", () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-open-"))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it("keeps everything in the folder: closed and opened again, all is there, the waiting job too", async () => {
    const options = { dataDir: join(root, "database") }
    const first = await openDatabase(options)
    const stored = await useEverything(first)
    expect(await problemOf(first)).toBeUndefined()
    await expect(openDatabase(options)).rejects.toMatchObject({ _tag: "FolderInUse" })
    await first.close()
    const second = await openDatabase(options)
    await expectEverything(second, stored)
    await second.close()
  })

  it("fails for good once it was closed", async () => expectFinal(await openDatabase()))

  it("embeds passages and questions by the embedder it is given", async () => {
    const asked: Array<string> = []
    const onRequest = (texts: ReadonlyArray<string>) => Effect.sync(() => void asked.push(...texts))
    const database = await openDatabase({
      dataDir: join(root, "database"),
      embedder: makeInMemoryEmbedder({ onRequest })
    })
    const { document, userId } = await useEverything(database)
    const documentIds = [document.id]
    const found = await run(database.passages.search({ userId, documentIds, query: "growth", limit: 1 }))
    expect(found.map(({ text }) => text)).toEqual(["Annual growth"])
    expect(asked).toEqual([expect.stringContaining("Annual growth"), "growth"])
    await database.close()
  })

  it("is not ready while migrations are missing", async () => {
    const engine = openEngine({})
    await engine.ask({
      kind: "script",
      text: "DELETE FROM parley.migrations WHERE id = (SELECT max(id) FROM parley.migrations)"
    })
    const database = await openDatabase({ engine, migrate: false })
    expect(await problemOf(database)).toBe("migrations")
    await database.close()
    await engine.close()
  })
})

describe.runIf(hasPostgres)("openDatabase on a server", () => {
  const withServer = (use: (options: OpenDatabaseOptions) => Promise<void>) =>
    run(Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => use({ url })))))

  it("brings the schema up to date and gives every port; several processes may have it open", () =>
    withServer(async (options) => {
      const [first, second] = await Promise.all([
        openDatabase(options),
        openDatabase({ ...options, directUrl: options.url })
      ])
      const stored = await useEverything(first)
      expect(await problemOf(second)).toBeUndefined()
      await expectEverything(second, stored)
      await Promise.all([first.close(), second.close()])
    }))

  it("leaves the schema alone if migrations are off, and is ready once it has been migrated separately", () =>
    withServer(async (options) => {
      const database = await openDatabase({ ...options, migrate: false })
      expect(await problemOf(database)).toBe("migrations")
      expect((await migrateDatabase(options)).length).toBeGreaterThan(0)
      expect(await problemOf(database)).toBeUndefined()
      await database.close()
    }))

  it("fails for good once it was closed", () => withServer(async (options) => expectFinal(await openDatabase(options))))

  it("rejects where nothing listens, and leaves nothing open", async () => {
    const options = { url: "postgres://nobody@127.0.0.1:1/none" }
    await expect(openDatabase(options)).rejects.toMatchObject({ _tag: "DatabaseError", retryable: true })
    const database = await openDatabase({ ...options, migrate: false })
    const unready = await database.checkReadiness().catch((reason: unknown) => reason)
    expect([unready, causeCode(unready)]).toMatchObject([{ problem: "unreachable" }, "ECONNREFUSED"])
    await expect(run(database.chats.list({ userId: "a", limit: 1, offset: 0 }))).rejects.toMatchObject({
      _tag: "StorageFailed",
      operation: "ChatStore.list",
      retryable: true
    })
    await expect(run(database.jobs.enqueue("ann", ProcessDocument, { documentId: "a" }))).rejects.toMatchObject({
      _tag: "StorageFailed",
      retryable: true
    })
    await database.close()
  })
})

it("an unreachable server is a failure with a name", async () => {
  const error = await openDatabase({ url: "postgres://nobody@127.0.0.1:1/nothing" }).catch((reason: unknown) => reason)
  expect(isParleyError(error)).toBe(true)
  expect(error).toMatchObject({ code: "database_failed" })
  expect(String(error)).toContain("cannot be reached")
  expect(String(error)).not.toContain("refused a statement")
})
