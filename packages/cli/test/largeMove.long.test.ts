/** The move of a whole service from the embedded database to a server. */
import { createHash } from "node:crypto"
import { DatabaseOwner, databaseLayer, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"
import { databaseFolder } from "../src/dataFolder/databaseFolder.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
const PEOPLE = 1_000
/** One in so many people has a document, and one in so many has bought credits. */
const WITH_DOCUMENT = 10
const WITH_PAYMENT = 20
const AT_ONCE = 8
const schema = `move_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const environment = { PARLEY_DB_SCHEMA: schema }

const nameOf = (person: number) => `person-${person}@example.com`

const signedIn = async (server: string, person: number): Promise<Visitor> => {
  const visitor = new Visitor(server)
  await visitor.signIn(nameOf(person))
  return visitor
}

const ask = async (visitor: Visitor, documentIds: ReadonlyArray<string>): Promise<void> => {
  const answer = await visitor.post("/api/chat", {
    messages: [{ role: "user", content: "When do storks fly?" }],
    documentIds
  })
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
}

/** Uploads a document of this person's own, and waits until it is read. */
const upload = async (visitor: Visitor, person: number): Promise<string> => {
  const uploaded = await visitor.upload("storks.txt", Buffer.from(`Stork ${person} flies south in August.`))
  const { documentId } = (await uploaded.json()) as { readonly documentId: string }
  await eventually("a document to be read", async () => {
    const { status } = await visitor.getJson<{ status: string }>(`/api/documents/${documentId}`)
    return status === "ready" || undefined
  })
  return documentId
}

/** Buys credits at the stand-in for payments. */
const buy = async (visitor: Visitor): Promise<void> => {
  const asked = { priceId: "price_credits_5000", mode: "one-time" }
  const { url: page } = (await (await visitor.post("/api/billing/checkout", asked)).json()) as { readonly url: string }
  const form = new URLSearchParams({ means: "works" })
  expect((await fetch(`${page}/pay`, { method: "POST", body: form, redirect: "manual" })).status).toBe(303)
}

/** Every row of every table of the schema as text, digested by table. Nothing of the program's own copying is used. */
const digests = Effect.gen(function* () {
  const { execute } = yield* DatabaseOwner
  const tables = yield* execute(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname NOT IN ('migrations', 'workers') ORDER BY 1`,
    [schema]
  )
  const found: Record<string, readonly [rows: number, digest: string]> = {}
  for (const { name } of tables) {
    const rows = yield* execute(`SELECT md5(t::text) AS row FROM "${schema}"."${String(name)}" t`)
    const texts = rows.map(({ row }) => String(row)).toSorted((a, b) => (a < b ? -1 : 1))
    found[String(name)] = [rows.length, createHash("sha256").update(texts.join()).digest("hex")]
  }
  return found
})

const dropSchema = () =>
  Effect.runPromise(
    Effect.provide(
      DatabaseOwner.use(({ asOwner }) =>
        asOwner((sql) =>
          sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
        )
      ),
      PgDatabaseLayer({ url, schema })
    )
  )

it.skipIf(url === "")(
  "1,000 people with documents and payments move to a server: all rows are equal, the ledger verifies, and chats go on",
  async () => {
    using folder = temporaryFolder()
    const server = await serveHere(folder.path, environment)
    const documents = new Map<number, string>()
    const live = async (person: number) => {
      const visitor = await signedIn(server.url, person)
      if (person % WITH_DOCUMENT === 0) documents.set(person, await upload(visitor, person))
      if (person % WITH_PAYMENT === 0) await buy(visitor)
      await ask(visitor, [])
    }
    for (let first = 0; first < PEOPLE; first += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => live(first + index)))
    }
    await server.stop()
    try {
      const embedded = databaseLayer({ dataDir: databaseFolder(`${folder.path}/.parley`), schema })
      const before = await Effect.runPromise(Effect.provide(digests, embedded))
      const counts = Object.fromEntries(Object.entries(before).map(([name, [rows]]) => [name, rows]))
      expect(counts).toMatchObject({
        credit_accounts: PEOPLE,
        documents: PEOPLE / WITH_DOCUMENT,
        credit_purchases: PEOPLE / WITH_PAYMENT,
        chats: PEOPLE,
        messages: 2 * PEOPLE
      })
      const moved = await runHere(["move", "--to", url, "--json"], folder.path, environment)
      expect([moved.exit, JSON.parse(moved.stdout)]).toMatchObject([0, { accounts: PEOPLE }])
      expect(await Effect.runPromise(Effect.provide(digests, PgDatabaseLayer({ url, schema })))).toEqual(before)
      const onServer = { ...environment, DATABASE_URL: url }
      const verified = await runHere(["credits", "verify", "--json"], folder.path, onServer)
      expect([verified.exit, JSON.parse(verified.stdout)]).toMatchObject([0, { accounts: PEOPLE }])
      await using after = await serveHere(folder.path, onServer)
      for (const person of [0, 10, 500, 999]) {
        const id = documents.get(person)
        await ask(await signedIn(after.url, person), id === undefined ? [] : [id])
      }
    } finally {
      await dropSchema()
    }
  },
  900_000
)
