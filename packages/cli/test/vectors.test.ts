import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database, DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../adapters-db/test/administer.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"

const PASSAGES = 40
const postgres = process.env["TEST_DATABASE_URL"] ?? ""

/** The part of `PARLEY_CONFIG` for an embedder that receives no requests here. */
const embedding = (model: string, dimensions: number) => ({
  embedding: { vendor: "openai", model, baseUrl: "http://127.0.0.1:9/v1", dimensions }
})

interface Check {
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly advice?: string
}

describe("parley vectors", () => {
  // A separate database: a build waits for all open transactions in the same one.
  const name = `parley_vectors_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const url = new URL(postgres === "" ? "postgres://127.0.0.1/absent" : postgres)
  url.pathname = `/${name}`
  const database = ManagedRuntime.make(PgDatabaseLayer({ url: url.href, maxConnections: 2 }))
  const query = (text: string, params: ReadonlyArray<unknown> = []) =>
    database.runPromise(Database.use(({ statement }) => statement(text, params)))
  const folder = temporaryFolder()

  const run = (argv: ReadonlyArray<string>, model?: string, more: Readonly<Record<string, string>> = {}) => {
    const config = `${model ?? "none"}.json`
    writeFileSync(join(folder.path, config), JSON.stringify(model === undefined ? {} : embedding(model, 8)))
    return runHere(argv, folder.path, {
      DATABASE_URL: url.href,
      PARLEY_CONFIG: config,
      PARLEY_EMBEDDING_API_KEY: "any",
      LOG_LEVEL: "none",
      ...more
    })
  }
  const json = async (...given: Parameters<typeof run>) => {
    const { exit, stderr, stdout } = await run([...given[0], "--json"], given[1], given[2])
    expect([exit, stderr]).toEqual([0, ""])
    return JSON.parse(stdout) as Record<string, unknown>
  }
  /** The index check of `doctor`, if this many passages are compared one by one. */
  const doctor = async (model: string | undefined, within: number) => {
    const { stdout } = await run(["doctor", "--json"], model, { PARLEY_EXACT_SEARCH_PASSAGES: String(within) })
    return (JSON.parse(stdout) as { readonly checks: ReadonlyArray<Check> }).checks
      .filter((check) => check.name === "vector index")
      .map(({ advice, detail, status }) => [status, detail, advice])
  }
  const audited = () => query("SELECT action, operator, reason, details FROM parley.audit_log ORDER BY number")

  beforeAll(async () => {
    await administer(`CREATE DATABASE ${name}`)
    expect((await run(["migrate"])).exit).toBe(0)
    const id = "00000000-0000-4000-8000-000000000001"
    const common = [id, PASSAGES]
    await query(
      `INSERT INTO parley.documents (user_id, id, filename, type, bytes, status, progress, created_at)
        VALUES ('ann', $1, 'a.md', 'md', 1, 'ready', 1, now())`,
      [id]
    )
    await query(
      `INSERT INTO parley.passage_generations
        (user_id, document_id, generation, active, fingerprint, language, passages, terms)
        VALUES ('ann', $1, 1, true, 'f', 'en', $2, 0)`,
      common
    )
    await query(
      `INSERT INTO parley.passage_embeddings (user_id, document_id, generation, ordinal, model, embedding)
        SELECT 'ann', $1, 1, p, 'openai/first/8', array_fill(p::real, ARRAY[8]) FROM generate_series(1, $2::integer) AS p`,
      common
    )
  })
  afterAll(async () => {
    await database.dispose()
    folder[Symbol.dispose]()
    await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })

  it("a library above the size is reported until its index is built, once; the index is dropped when another model takes over", async () => {
    const large = `the largest library has ${PASSAGES} passages, more than ${PASSAGES - 1}, and a search of it compares all`
    expect(await doctor("first", PASSAGES)).toEqual([])
    expect(await doctor("first", PASSAGES - 1)).toEqual([
      ["note", large, expect.stringContaining("parley vectors index")]
    ])

    const planned = { dryRun: true, built: false, model: "openai/first/8", passages: PASSAGES, index: null, others: [] }
    expect(await json(["vectors", "index", "--dry-run"], "first")).toEqual({
      ...planned,
      memoryBytes: expect.any(Number)
    })
    const people = await run(["vectors", "index", "--dry-run"], "first")
    expect(people.stdout).toContain(`Would build an index over ${PASSAGES} embeddings of openai/first/8.`)
    expect(await audited()).toEqual([])

    const index = {
      name: expect.any(String),
      model: "openai/first/8",
      state: "valid",
      bytes: expect.any(Number),
      passages: PASSAGES
    }
    expect(await json(["vectors", "index", "--by", "olga", "--reason", "grown"], "first")).toMatchObject({
      built: true,
      index
    })
    expect(await json(["vectors", "index", "--dry-run"], "first")).toMatchObject({ built: false, index })
    expect((await run(["vectors", "index", "--by", "olga"], "first")).stdout).toContain("is there: ")
    expect(await doctor("first", PASSAGES - 1)).toEqual([
      ["ok", `about ${PASSAGES} embeddings of openai/first/8 are in it`, undefined]
    ])

    const left = [
      "note",
      expect.stringContaining("1 left over of other models"),
      expect.stringContaining("parley vectors drop")
    ]
    expect(await doctor("second", PASSAGES)).toEqual([left])
    expect(await doctor(undefined, PASSAGES)).toEqual([left])
    expect(await json(["vectors", "drop"], "first")).toEqual({ dryRun: false, dropped: [] })
    expect(await json(["vectors", "drop", "--dry-run"], "second")).toMatchObject({ dropped: [index] })
    expect(await doctor("second", PASSAGES)).toEqual([left])
    const dropped = await run(["vectors", "drop", "--by", "olga"], "second")
    expect([dropped.exit, dropped.stdout]).toEqual([0, "Took away the index over the embeddings of openai/first/8.\n"])
    expect(await doctor("second", PASSAGES)).toEqual([])
    expect(await audited()).toEqual([
      { action: "vectors index", operator: "olga", reason: "grown", details: "openai/first/8" },
      { action: "vectors drop", operator: "olga", reason: null, details: "openai/first/8" }
    ])
  })

  it("an index whose build was killed is reported, and rebuilt by the same command", async () => {
    await run(["vectors", "index"], "first")
    await database.runPromise(
      DatabaseOwner.use(({ execute }) =>
        execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%passage_vectors%'")
      )
    )
    expect(await doctor("first", PASSAGES)).toEqual([
      ["note", expect.stringContaining("was interrupted"), expect.stringContaining("parley vectors index")]
    ])
    const planned = await run(["vectors", "index", "--dry-run"], "first")
    expect(planned.stdout).toContain("Would delete the rest of an interrupted build, and build an index")
    expect(await json(["vectors", "index"], "first")).toMatchObject({
      built: true,
      index: { state: "valid" },
      others: []
    })
    expect(await json(["vectors", "drop", "--all"], "first")).toMatchObject({ dropped: [{ state: "valid" }] })
    expect(await json(["vectors", "drop", "--all"], "first")).toEqual({ dryRun: false, dropped: [] })
  })

  it("without an embedder there is nothing to index, which ends with 3", async () => {
    const none = await run(["vectors", "index"])
    expect([none.exit, none.stdout]).toEqual([3, ""])
    expect(none.stderr).toContain("No embedder is configured")
  })
})
