import { readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Database, databaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"

interface Line {
  readonly id: string
  readonly userId: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

const read = (path: string) =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

it("parley archive moves old chats to a new file of its own, readable for its owner alone, and stays in the audit log", async () => {
  using folder = temporaryFolder()
  const server = await serveHere(folder.path)
  const person = new Visitor(server.url)
  await person.signIn("ann@example.com")
  for (const content of ["An old question", "A young question"]) {
    await (await person.post("/api/chat", { messages: [{ role: "user", content }] })).text()
  }
  await server.stop()
  const age = Database.use(({ schema, statement }) =>
    statement(`UPDATE ${schema}.chats SET updated_at = now() - interval '2 days' WHERE title LIKE 'An old%'`)
  )
  const dataDir = join(folder.path, ".parley", "database")
  await Effect.runPromise(Effect.provide(age, databaseLayer({ dataDir })))
  const archive = (...argv: ReadonlyArray<string>) => runHere(["archive", ...argv, "--by", "olga"], folder.path)
  const first = await archive("chats", "--older-than", "1", "--output", "old.jsonl.gz", "--json")
  const path = join(folder.path, "old.jsonl.gz")
  expect([first.exit, JSON.parse(first.stdout)]).toEqual([0, { archived: 1, output: path }])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const [chat, ...others] = read(path)
  expect(others).toEqual([])
  expect(chat?.userId).toBe("ann@example.com")
  expect(chat?.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
  expect(chat?.messages[0]?.content).toBe("An old question")

  const again = await archive("chats", "--older-than", "1", "--output", "old.jsonl.gz")
  expect([again.exit, again.stderr]).toEqual([2, expect.stringContaining("exists already")])
  const nothing = await archive("chats", "--older-than", "1", "--output", "none.jsonl.gz")
  expect(nothing.stdout).toBe("There are no chats older than 1 day.\n")
  expect(readdirSync(folder.path).filter((name) => name.endsWith(".gz"))).toEqual(["old.jsonl.gz"])
  const early = await archive("audit", "--older-than", "29", "--output", "audit.jsonl.gz")
  expect([early.exit, early.stderr]).toEqual([2, expect.stringContaining("stay for 30 days")])
  const { stdout } = await runHere(["audit", "list", "--json"], folder.path)
  expect(JSON.parse(stdout)).toMatchObject({
    entries: [
      { action: "archive", by: "olga", details: "chats older than 1 day" },
      { action: "archive", by: "olga", details: "chats older than 1 day" }
    ]
  })
})
