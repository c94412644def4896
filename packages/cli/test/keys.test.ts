import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"
const KNOWN_WITHIN_MS = 2_000

interface Issued {
  readonly id: string
  readonly key: string
  readonly [field: string]: unknown
}

const withKey = (key: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { "content-type": "application/json", authorization: `Bearer ${key}` }
})
const balanceAt = (url: string, key: string) => fetch(`${url}/v1/users/${ANN}/balance`, withKey(key))

describe("parley keys, beside a running server", () => {
  const folder = temporaryFolder()
  let server: ServerHere
  beforeAll(async () => {
    server = await serveHere(folder.path)
    await new Visitor(server.url).signIn(ANN)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const parley = (...argv: ReadonlyArray<string>) => runHere(["keys", ...argv], folder.path)
  const json = async <A = Issued>(...argv: ReadonlyArray<string>) => {
    const { exit, stderr, stdout } = await parley(...argv, "--json")
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout) as A
  }
  const statusOf = async (key: string) => (await balanceAt(server.url, key)).status
  const list = async () => (await json<{ readonly keys: ReadonlyArray<Issued> }>("list")).keys

  it("creates a key that counts at once, and prints it once, from a process of its own", async () => {
    const argv = ["keys", "create", "--name", "python", "--scope", "credits:read", "--expires", "2999-01-01", "--json"]
    const { exit, stderr, stdout } = await runParley(argv, folder.path)
    expect(exit, stderr).toBe(0)
    const { id, key, ...row } = JSON.parse(stdout) as Issued
    expect(row).toMatchObject({ name: "python", scopes: ["credits:read"], expiresAt: "2999-01-01T00:00:00.000Z" })
    expect(await statusOf(key)).toBe(200)
    const used = await eventually("the use of the key to be listed", async () => {
      const [found] = await list()
      return found?.["lastUsedAt"] === null ? undefined : found
    })
    expect(used).toMatchObject({ id, state: "active", lastUsedAt: expect.stringMatching(/Z$/) })
    const { stdout: audit } = await runHere(["audit", "list", "--json"], folder.path)
    const shown = [JSON.stringify(await list()), audit, server.said.stdout, server.said.stderr, stderr].join()
    expect(shown).toContain(id)
    expect(shown).not.toContain(key.slice(-64))
  })

  it("rotates a key with an overlap or without one, and revokes it", async () => {
    const { id, key } = await json("create", "--name", "k", "--scope", "credits:read", "--scope", "credits:hold")
    const second = await json("rotate", id)
    expect(second).toMatchObject({ id, scopes: ["credits:read", "credits:hold"] })
    expect([await statusOf(key), await statusOf(second.key)]).toEqual([200, 200])
    const third = await json("rotate", id, "--now")
    expect([await statusOf(key), await statusOf(second.key), await statusOf(third.key)]).toEqual([401, 401, 200])
    expect((await parley("revoke", id, "--reason", "retired")).stdout).toContain("is revoked")
    expect(await statusOf(third.key)).toBe(401)
    expect(await json("revoke", id)).toMatchObject({ id, state: "revoked" })
    expect((await parley("rotate", id)).exit).toBe(5)
  })

  it("changes nothing in a dry run, which prints no key and is refused as the run would be", async () => {
    const { id, key } = await json("create", "--name", "k", "--scope", "credits:read")
    const before = await list()
    for (const argv of [
      ["create", "--name", "n", "--scope", "users:read"],
      ["rotate", id],
      ["revoke", id]
    ]) {
      const { exit, stderr, stdout } = await parley(...argv, "--dry-run", "--json")
      expect([exit, stderr]).toEqual([0, ""])
      expect(JSON.parse(stdout)).toMatchObject({ dryRun: true })
      expect(stdout).not.toContain("parley_sk_")
    }
    expect(await statusOf(key)).toBe(200)
    const rowsOf = (keys: ReadonlyArray<Issued>) => keys.map((key) => ({ ...key, lastUsedAt: null }))
    expect(rowsOf(await list())).toEqual(rowsOf(before))
    expect((await parley("revoke", "0000000000000000", "--dry-run")).exit).toBe(4)
  })

  it.each([
    ["no scope", ["create", "--name", "k"], 2],
    ["another scope", ["create", "--name", "k", "--scope", "all"], 2],
    ["no name", ["create", "--scope", "credits:read"], 2],
    ["a blank name", ["create", "--name", " ", "--scope", "credits:read"], 2],
    ["an expiry in the past", ["create", "--name", "k", "--scope", "credits:read", "--expires", "2020-01-01"], 2],
    ["an expiry that is no date", ["create", "--name", "k", "--scope", "credits:read", "--expires", "soon"], 2],
    ["an unknown key", ["rotate", "0000000000000000"], 4],
    ["an unknown key, too", ["revoke", "' OR true --"], 4]
  ])("refuses %s", async (_, argv, exit) => {
    const { exit: code, stderr } = await parley(...argv)
    expect(code, stderr).toBe(exit)
    expect(stderr).not.toBe("")
  })
})

const url = process.env["TEST_DATABASE_URL"] ?? ""

describe.skipIf(url === "")("service keys, on two server processes and a Postgres server", () => {
  const schema = `keys_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  const parley = async (...argv: ReadonlyArray<string>) => {
    const { exit, stderr, stdout } = await runHere([...argv, "--json"], folder.path, environment)
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout) as Issued
  }
  let servers: readonly [RunningServer, ServerHere]
  beforeAll(async () => {
    await parley("migrate")
    servers = await Promise.all([
      startServer(folder.path, environment, ["--no-work"]),
      serveHere(folder.path, environment, ["--no-work"])
    ])
    await new Visitor(servers[0].url).signIn(ANN)
  })
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
    const drop = DatabaseOwner.use(({ asOwner }) =>
      asOwner((sql) =>
        sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
      )
    )
    await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
  })
  const everywhere = (key: string) => Promise.all(servers.map(async (each) => (await balanceAt(each.url, key)).status))

  it("count everywhere when they are made, and nowhere two seconds after they are revoked", async () => {
    const { id, key } = await parley("keys", "create", "--name", "k", "--scope", "credits:read")
    expect(await everywhere(key)).toEqual([200, 200])
    await parley("keys", "revoke", id)
    await eventually(
      "both servers to refuse the key",
      async () => ((await everywhere(key)).every((status) => status === 401) ? true : undefined),
      KNOWN_WITHIN_MS
    )
  })

  it("grant once where many requests for one grant come to both servers at once, and record it once", async () => {
    const { id, key } = await parley("keys", "create", "--name", "k", "--scope", "credits:grant")
    const body = JSON.stringify({ amount: 50, key: "order-7" })
    const asked = Array.from({ length: 24 }, async (_, index) => {
      const at = servers[index % 2]?.url ?? ""
      const response = await fetch(`${at}/v1/users/${ANN}/grants`, withKey(key, { method: "POST", body }))
      return { status: response.status, body: await response.json() }
    })
    const answers = await Promise.all(asked)
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: answers[0]?.body })
    expect(await parley("credits", "balance", ANN)).toMatchObject({ topup: 50, available: 150 })
    expect(await parley("audit", "list", "--user", ANN)).toMatchObject({
      entries: [{ action: "credits grant", by: `key:${id}` }]
    })
  })
})
