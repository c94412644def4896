/** Backups of both databases, and the move from the embedded one to a server. */
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { type ServerHere, serveHere } from "./processes/serveHere.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
const ANN = "ann@example.com"
const TEXT = "Storks fly south in August."

const newSchema = () => `copy_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

const dropSchema = (schema: string) => {
  const drop = DatabaseOwner.use(({ asOwner }) =>
    asOwner((sql) =>
      sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
    )
  )
  return Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
}

interface Owned {
  readonly balance: unknown
  readonly history: unknown
  readonly chats: unknown
  readonly documents: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

/** All that Ann sees. */
const seenBy = async (ann: Visitor): Promise<Owned> => ({
  balance: await ann.getJson("/api/billing/balance"),
  history: await ann.getJson("/api/billing/credit-history"),
  chats: await ann.getJson("/api/chats"),
  documents: ((await ann.getJson("/api/documents")) as { documents: Owned["documents"] }).documents
})

const signedIn = async (server: ServerHere): Promise<Visitor> => {
  const ann = new Visitor(server.url)
  await ann.signIn(ANN)
  return ann
}

/** Ann asks about her document. */
const ask = async (ann: Visitor, { documents }: Pick<Owned, "documents">): Promise<string> => {
  const documentIds = documents.map(({ id }) => id)
  const reply = await ann.post("/api/chat", {
    messages: [{ role: "user", content: "When do storks fly?" }],
    documentIds
  })
  expect(reply.status).toBe(200)
  return reply.text()
}

/** A server on another copy shows what the first one did, and answers from the document. */
const expectSame = async (folder: string, environment: Readonly<Record<string, string>>, before: Owned) => {
  await using server = await serveHere(folder, environment)
  const ann = await signedIn(server)
  expect(await seenBy(ann)).toEqual(before)
  expect(await ask(ann, before)).toContain("August")
}

describe("an embedded database with a person's data", () => {
  const folder = temporaryFolder()
  const schema = newSchema()
  const environment = { PARLEY_DB_SCHEMA: schema }
  const parley = (argv: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    runHere(argv, folder.path, { ...environment, ...more })
  const backup = join(folder.path, "parley.backup")
  let before: Owned

  beforeAll(async () => {
    await using server = await serveHere(folder.path, environment)
    const ann = await signedIn(server)
    await ann.upload("storks.txt", Buffer.from(TEXT))
    const documents = await eventually("the document to be ready", async () => {
      const { documents } = await seenBy(ann)
      return documents[0]?.status === "ready" ? documents : undefined
    })
    await ask(ann, { documents })
    before = await seenBy(ann)
    // While the server runs, the command runs in it.
    const written = await parley(["backup", "--output", backup, "--json"])
    expect([written.exit, JSON.parse(written.stdout)]).toEqual([0, { output: backup, rows: expect.any(Number) }])
    for (const argv of [
      ["restore", backup],
      ["move", "--to", url === "" ? "postgres://localhost/none" : url]
    ]) {
      const refused = await parley(argv)
      expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("is in use")])
    }
  })
  afterAll(async () => {
    folder[Symbol.dispose]()
    if (url !== "") await dropSchema(schema)
  })

  it("is restored from its backup into a new folder, and not into one with data", async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    const PARLEY_DATA_DIR = join(folder.path, "restored")
    const restored = await parley(["restore", "parley.backup", "--json"], { PARLEY_DATA_DIR })
    expect([restored.exit, JSON.parse(restored.stdout)]).toMatchObject([0, { accounts: 1 }])
    expect((await parley(["credits", "verify"], { PARLEY_DATA_DIR })).exit).toBe(0)
    const again = await parley(["restore", backup], { PARLEY_DATA_DIR })
    expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining("contains data")])
    await expectSame(folder.path, { ...environment, PARLEY_DATA_DIR }, before)
  })

  it("restores nothing from a file that is cut, foreign or missing", async () => {
    const PARLEY_DATA_DIR = join(folder.path, "none")
    const cut = join(folder.path, "cut.backup")
    writeFileSync(cut, readFileSync(backup))
    truncateSync(cut, statSync(cut).size - 100)
    const foreign = join(folder.path, "foreign.backup")
    writeFileSync(foreign, "-- PostgreSQL database dump")
    for (const [file, exit, said] of [
      [cut, 5, "damaged"],
      [foreign, 5, "damaged"],
      ["missing.backup", 2, "ENOENT"]
    ] as const) {
      const refused = await parley(["restore", file], { PARLEY_DATA_DIR })
      expect([refused.exit, refused.stderr]).toEqual([exit, expect.stringContaining(said)])
    }
    expect((await parley(["users", "list", "--json"], { PARLEY_DATA_DIR })).stdout).not.toContain(ANN)
  })

  it.runIf(url !== "")("moves whole to an empty Postgres, once, and the folder stays", async () => {
    const moved = await parley(["move", "--to", url, "--json"])
    expect([moved.exit, JSON.parse(moved.stdout)]).toMatchObject([0, { accounts: 1 }])
    const again = await parley(["move", "--to", url])
    expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining("contains data")])
    const server = { DATABASE_URL: url }
    expect((await parley(["credits", "verify"], server)).exit).toBe(0)
    await expectSame(folder.path, { ...environment, ...server }, before)
    // The folder has what it had before.
    await expectSame(folder.path, environment, before)
    const onServer = join(folder.path, "server.backup")
    expect((await parley(["backup", "--output", onServer], server)).exit).toBe(0)
    const PARLEY_DATA_DIR = join(folder.path, "back")
    expect((await parley(["restore", onServer], { PARLEY_DATA_DIR })).exit).toBe(0)
    expect((await parley(["credits", "verify"], { PARLEY_DATA_DIR })).exit).toBe(0)
  })

  it("is not moved to an address that is no Postgres, or from a server", async () => {
    expect((await parley(["move", "--to", "https://example.com"])).exit).toBe(2)
    expect(
      (await parley(["move", "--to", "postgres://localhost/x"], { DATABASE_URL: "postgres://localhost/y" })).exit
    ).toBe(2)
  })
})
