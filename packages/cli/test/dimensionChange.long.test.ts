import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ChangingServer, MODEL, TEXTS_PER_REQUEST } from "./documents/dimensionChange.ts"
import { dropSchema } from "./documents/dropSchema.ts"
import { FakeEmbeddings } from "./documents/FakeEmbeddings.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"

const serverUrl = process.env["TEST_DATABASE_URL"]
const schema = `dimensions_${randomUUID().replaceAll("-", "").slice(0, 12)}`

const databases: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
  ["PGlite", {}],
  ...(serverUrl === undefined ? [] : [["Postgres", { DATABASE_URL: serverUrl, PARLEY_DB_SCHEMA: schema }] as const])
]

/** A text of this many lines, each with a word that no other document has. */
const textOf = (word: string, lines = 40) =>
  Array.from(
    { length: lines },
    (_, line) => `Line ${line}: the ${word} is painted every year, and then varnished.`
  ).join("\n")

/** A question that shares no word with any document. */
const WORDLESS = "Warum ist das so?"

describe.each(databases)("another dimension of embeddings, on %s", (_, environment) => {
  const folder = temporaryFolder()
  let provider: FakeEmbeddings
  let server: ChangingServer
  const ids: Record<string, string> = {}
  const all = () => Object.values(ids)
  beforeAll(async () => {
    provider = await FakeEmbeddings.start()
    server = new ChangingServer(folder.path, environment, provider)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    if (environment["DATABASE_URL"] !== undefined) await dropSchema(serverUrl ?? "", schema)
    folder[Symbol.dispose]()
  })

  it("uploads are embedded in requests within the limits of the embedder", async () => {
    await server.serve(8)
    ids["oak"] = await server.upload("oak", textOf("oak", 1_000))
    ids["elm"] = await server.upload("elm", textOf("elm"))
    await server.ready(all())
    expect(provider.largest).toBe(TEXTS_PER_REQUEST)
    expect(provider.of(`${MODEL} 8`).length).toBeGreaterThan(2 * TEXTS_PER_REQUEST)
    expect(await server.reindexing()).toMatchObject({ documents: 2, outdated: 0, work: "none" })
    expect(await server.sourcesOf(WORDLESS, [ids["oak"]!])).toEqual(["oak"])
  })

  it("documents that wait, and one that is being embedded, end with the new dimension alone", async () => {
    provider.refuses = () => "never"
    ids["ash"] = await server.upload("ash", textOf("ash", 400))
    await eventually("the document to be embedded", () => (provider.heldBack > 0 ? true : undefined))
    ids["fir"] = await server.upload("fir", textOf("fir"))
    ids["yew"] = await server.upload("yew", textOf("yew"))
    await server.serve(12)
    provider.refuses = () => undefined
    await server.ready(all())
    expect(await server.reindexing()).toMatchObject({ documents: 5, outdated: 2, failed: 0, work: "none" })
    const asked = provider.of(`${MODEL} 12`).filter((text) => !text.includes(WORDLESS))
    for (const word of ["ash", "fir", "yew"]) expect(asked.some((text) => text.includes(word))).toBe(true)
    expect(asked.some((text) => /oak|elm/.test(text))).toBe(false)
  })

  it("meanwhile every document is found by its words, and by meaning those of the new dimension", async () => {
    for (const word of ["oak", "elm", "ash"]) expect(await server.sourcesOf(`The ${word}?`, all())).toContain(word)
    const found = await server.sourcesOf(WORDLESS, all())
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(found.filter((name) => ["ash", "fir", "yew"].includes(name)))
    // It is too long to be sent whole, and has no embedding of this dimension.
    expect(await server.sourcesOf(WORDLESS, [ids["oak"]!])).toEqual([])
  })

  it("another person sees and starts nothing of it", async () => {
    const bob = await server.signIn("bob@example.org")
    const before = provider.requests
    const answer = await bob.post("/api/reindexing", {})
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ...{ documents: 0, passages: 0, outdated: 0, outdatedPassages: 0, failed: 0 },
        work: "none",
        passagesInWork: 0,
        failures: []
      }
    ])
    expect(await server.reindexing()).toMatchObject({ outdated: 2, work: "none" })
    expect(provider.requests).toBe(before)
  })

  it("re-indexing goes on with the next server if one is killed, asks for no embedding twice, and makes all found by meaning", async () => {
    // The first requests are answered, then none.
    const from = provider.requests
    provider.refuses = (request) => (request > from + 2 ? "never" : undefined)
    expect((await server.ann.post("/api/reindexing", {})).status).toBe(200)
    await eventually("the re-indexing to be in the middle", () => (provider.heldBack > 0 ? true : undefined))
    expect(await server.reindexing()).toMatchObject({ work: "running" })
    expect(await server.sourcesOf("The oak?", [ids["oak"]!])).toEqual(["oak"])
    await server.serve(12)
    provider.refuses = () => undefined
    const done = await eventually("the re-indexing to end", async () => {
      const state = await server.reindexing()
      return state.outdated === 0 && state.work === "none" ? state : undefined
    })
    expect(done).toMatchObject({ documents: 5, failed: 0 })
    expect(await server.sourcesOf(WORDLESS, [ids["oak"]!])).toEqual(["oak"])
    const asked = provider.of(`${MODEL} 12`).filter((text) => /oak|elm/.test(text))
    // The answers that the killed server did not store may be asked for again.
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(2 * TEXTS_PER_REQUEST)
    expect(provider.largest).toBe(TEXTS_PER_REQUEST)
  })
})
