import { randomUUID } from "node:crypto"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { eventually, ParleyProcess, temporaryFolder } from "../../packages/cli/test/processes/ParleyProcess.ts"
import { type RunningServer, startServer, Visitor } from "../../packages/cli/test/processes/RunningServer.ts"
import type { OlderProgram } from "./olderProgram.ts"

const PEOPLE = ["ann", "bob", "eve"].map((name) => `${name}@example.com`)
const LEASE = new TextEncoder().encode(
  "# Lease\n\nThe rent of the flat is 900 euros a month.\n\nThe notice is three months."
)

interface Balance {
  readonly available: number
}

const ok = async (what: string, answer: Response): Promise<Response> => {
  if (answer.ok) return answer
  throw new Error(`${what}: the server answered ${answer.status}: ${await answer.text()}`)
}

/** Asks a question about the person's documents, and reads the reply to its end. */
const chat = async (person: Visitor, documentIds: ReadonlyArray<string>): Promise<void> => {
  const messages = [{ role: "user", content: "What is the rent of the flat?" }]
  const answer = await ok("A chat", await person.post("/api/chat", { messages, documentIds }))
  const text = await answer.text()
  if (!text.includes("900")) throw new Error(`A reply does not quote the document: ${text}`)
}

const upload = async (person: Visitor, filename: string): Promise<string> => {
  const answer = await ok("An upload", await person.upload(filename, LEASE))
  const { documentId } = (await answer.json()) as { readonly documentId: string }
  await eventually(`${filename} to be ready`, async () => {
    const { documents } = await person.getJson<{ documents: ReadonlyArray<{ id: string; status: string }> }>(
      "/api/documents"
    )
    return documents.find((one) => one.id === documentId && one.status === "ready")
  })
  return documentId
}

const signedIn = async (server: RunningServer, email: string): Promise<Visitor> => {
  const person = new Visitor(server.url)
  await person.signIn(email)
  return person
}

/** Sends the requests of one person: documents, chats, a bot, and the requests with which the dashboard reads. */
const use = async (server: RunningServer, email: string, round: string): Promise<void> => {
  const person = await signedIn(server, email)
  const id = await upload(person, `lease-${round}.md`)
  await chat(person, [id])
  await ok("A bot", await person.post("/api/bots", { displayName: `Bot ${round}`, documentIds: [id] }))
  for (const path of [
    "/api/me",
    "/api/chats",
    "/api/bots",
    "/api/billing/balance",
    "/api/billing/usage?from=2026-01-01&to=2026-12-31"
  ]) {
    await ok(path, await person.get(path))
  }
}

const balances = (server: RunningServer): Promise<ReadonlyArray<number>> =>
  Promise.all(
    PEOPLE.map(async (email) => {
      const { available } = await (await signedIn(server, email)).getJson<Balance>("/api/billing/balance")
      return available
    })
  )

/**
 * Fills the schema of an older program, upgrades it with this program while the older server runs, and uses both
 * servers side by side. Fails at the first response that differs from before.
 */
export const upgradeDrill = async (url: string, older: OlderProgram): Promise<void> => {
  const schema = `upgrade_${randomUUID().replaceAll("-", "").slice(0, 12)}`
  using folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  const run = async (args: ReadonlyArray<string>, main?: string) => {
    await using parley = new ParleyProcess(args, folder.path, environment, main)
    const { exit, stderr, stdout } = await parley.ended
    if (exit !== 0) throw new Error(`parley ${args.join(" ")} ended with ${exit}: ${stdout}${stderr}`)
  }
  try {
    await run(["migrate"], older.main)
    await using olderServer = await startServer(folder.path, environment, [], older.main)
    for (const email of PEOPLE) await use(olderServer, email, "before")
    await run(["credits", "grant", "ann@example.com", "50"], older.main)
    const before = await balances(olderServer)
    await run(["migrate"])
    const after = await balances(olderServer)
    if (after.join() !== before.join()) throw new Error(`Balances were ${before.join()}, and are ${after.join()}.`)
    for (const email of PEOPLE) await use(olderServer, email, "after")
    await using newer = await startServer(folder.path, environment)
    await Promise.all(
      [olderServer, newer].flatMap((server, place) => PEOPLE.map((email) => use(server, email, `beside-${place}`)))
    )
    await run(["credits", "verify"])
  } finally {
    const drop = DatabaseOwner.use(({ asOwner }) =>
      asOwner((sql) =>
        sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
      )
    )
    await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
  }
}
