import { join } from "node:path"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect, Fiber } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isUnverified } from "../src/config/databaseTls.ts"
import { type Certificate, issueCertificate, makeAuthority } from "./processes/certificates.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { PostgresImpostor } from "./processes/PostgresImpostor.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"
import { TlsPostgres } from "./processes/TlsPostgres.ts"

const folder = temporaryFolder()
let authority: Certificate
let other: Certificate

beforeAll(() => {
  authority = makeAuthority(folder.path, "authority")
  other = makeAuthority(folder.path, "other")
})
afterAll(() => folder[Symbol.dispose]())

const verified = (root: string) => ({ sslmode: "verify-full", sslrootcert: root })
const asked = (url: string, text: string) =>
  Effect.provide(
    DatabaseOwner.use(({ execute }) => execute(text)),
    PgDatabaseLayer({ url })
  )
const refusal = (url: string) => Effect.runPromise(Effect.flip(asked(url, "SELECT 1")))

interface Check {
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly advice?: string
}
/** The finding of the doctor about the database, as the sentence with which commands end. */
const doctorSays = async (url: string) => {
  const { stdout } = await runHere(["doctor", "--json"], folder.path, { DATABASE_URL: url })
  const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Check> }
  const found = checks.find(({ name, status }) => name === "database" && status === "failed")
  return `${found?.detail}. ${found?.advice}`
}

describe.runIf(TlsPostgres.canStart)("a Postgres with a certificate", () => {
  let postgres: TlsPostgres
  beforeAll(async () => {
    postgres = await TlsPostgres.start(issueCertificate(folder.path, authority, "DNS:localhost"))
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  it("is used over TLS with sslmode=verify-full and its authority", async () => {
    const [session] = await Effect.runPromise(
      asked(
        postgres.url("localhost", verified(authority.cert)),
        "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
      )
    )
    expect(session).toEqual({ ssl: true, version: "TLSv1.3" })
  })

  it("has every connection of commands and servers over TLS", async () => {
    const url = postgres.url("localhost", verified(authority.cert))
    const environment = { DATABASE_URL: url }
    expect(await runHere(["migrate"], folder.path, environment)).toMatchObject({ exit: 0 })
    await using server = await serveHere(folder.path, environment)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    const others = `SELECT ssl, count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY ssl`
    const found = await Effect.runPromise(asked(url, others))
    expect(found).toEqual([{ ssl: true, count: expect.any(Number) }])
  })

  it("is asked to cancel a statement that is given up on", async () => {
    const url = postgres.url("localhost", verified(authority.cert))
    const running = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()`
    const counted = () => Effect.runPromise(Effect.map(asked(url, running), ([row]) => row?.["count"]))
    const program = Effect.gen(function* () {
      const { asOwner } = yield* DatabaseOwner
      // Without the server's own limit, nothing else ends it.
      const sleep = asOwner((sql) => sql.script("SET LOCAL statement_timeout = 0; SELECT pg_sleep(600)"))
      const sleeping = yield* Effect.forkChild(sleep)
      yield* Effect.promise(async () => await expect.poll(counted).toBe(1))
      yield* Fiber.interrupt(sleeping)
      yield* Effect.promise(async () => await expect.poll(counted).toBe(0))
    })
    await Effect.runPromise(Effect.provide(program, PgDatabaseLayer({ url })))
  })

  it.each([
    ["of another authority", "localhost", () => other.cert, "untrusted", /authority.*sslrootcert/],
    ["for another host", "127.0.0.1", () => authority.cert, "other-host", /another host/]
  ] as const)("is refused with a certificate %s, with the remedy", async (_, host, root, tls, words) => {
    const url = postgres.url(host, verified(root()))
    const error = await refusal(url)
    expect(error).toMatchObject({ _tag: "DatabaseError", code: "database_failed", tls })
    expect(error.message).toMatch(words)
    const { exit, stderr } = await runHere(["serve"], folder.path, { DATABASE_URL: url, PORT: "0" })
    expect([exit, stderr]).toEqual([69, expect.stringMatching(words)])
    expect(await doctorSays(url)).toMatch(words)
  })
})

it.runIf(TlsPostgres.canStart)("a Postgres without TLS is refused where the address requires it", async () => {
  const url = new URL(process.env["TEST_DATABASE_URL"] ?? "")
  url.search = "sslmode=verify-full"
  expect(await refusal(url.href)).toMatchObject({ _tag: "DatabaseError", tls: "not-offered" })
})

describe("a program in the place of the database server", () => {
  const certificates: ReadonlyArray<readonly [string, string, () => Certificate | undefined]> = [
    ["offers no TLS", "not-offered", () => undefined],
    ["has a certificate of its own making", "untrusted", () => issueCertificate(folder.path, other, "DNS:localhost")],
    [
      "has the certificate of another host",
      "other-host",
      () => issueCertificate(folder.path, authority, "DNS:db.example")
    ],
    ["has an expired certificate", "out-of-date", () => issueCertificate(folder.path, authority, "DNS:localhost", -1)]
  ]

  it.each(certificates)("that %s learns no login, and a server ends at once with the remedy", async (_, tls, make) => {
    await using impostor = await PostgresImpostor.start(make())
    const url = impostor.url("localhost", String(new URLSearchParams(verified(authority.cert))))
    const error = await refusal(url)
    expect(error).toMatchObject({ _tag: "DatabaseError", tls })
    const doctor = await doctorSays(url)
    const before = impostor.connections
    const { exit, stderr, stdout } = await runHere(["serve"], folder.path, { DATABASE_URL: url, PORT: "0" })
    expect(exit).toBe(69)
    expect(stderr).toContain(doctor)
    expect(impostor.connections - before).toBeLessThanOrEqual(2)
    expect(impostor.heard.toString("latin1")).toBe("")
    expect(stdout + stderr + doctor + error.message).not.toMatch(/hunter2|localhost/)
  })

  // The rule is about hosts on other machines; the addresses differ in their parameters only.
  const isAccepted = (parameters: string) =>
    !isUnverified(`postgres://db.example/parley?${parameters}`, { host: undefined, sslMode: undefined })
  const addresses = [
    "",
    "ssl=true",
    "ssl=no-verify",
    "sslmode=",
    "sslmode=disable",
    "sslmode=prefer",
    "sslmode=require",
    "sslmode=require&uselibpqcompat=true",
    "sslmode=no-verify",
    "sslmode=verify-full",
    "sslmode=verify-full&ssl=0",
    "sslmode=verify-full&ssl=no-verify",
    "sslmode=verify-full&uselibpqcompat=true",
    "sslmode=verify-full&sslmode=disable",
    "sslmode=verify-full&sslmode=no-verify",
    "sslmode=disable&sslmode=verify-full",
    "ssl=true&sslmode=disable"
  ]

  it("learns no login from any address that production accepts", async () => {
    const accepted = addresses.filter(isAccepted)
    expect(accepted).toContain("sslmode=verify-full")
    expect(accepted.length).toBeLessThan(addresses.length)
    await using plain = await PostgresImpostor.start()
    await using forged = await PostgresImpostor.start(issueCertificate(folder.path, other, "DNS:localhost"))
    const told = async (impostor: PostgresImpostor, parameters: string) => {
      impostor.heard = Buffer.alloc(0)
      await refusal(impostor.url("localhost", parameters))
      return impostor.heard.toString("latin1").includes("hunter2")
    }
    const leaks: Array<string> = []
    for (const each of addresses) {
      if ((await told(plain, each)) || (await told(forged, each))) leaks.push(each)
    }
    expect(leaks).toContain("sslmode=disable")
    expect(leaks).toContain("sslmode=no-verify")
    expect(accepted.filter((each) => leaks.includes(each))).toEqual([])
  })
})

it("a missing file of an authority is named as the reason", async () => {
  const url = `postgres://hunter2@localhost/parley?sslmode=verify-full&sslrootcert=${join(folder.path, "missing.pem")}`
  const { exit, stderr } = await runHere(["credits", "balance", "ann"], folder.path, { DATABASE_URL: url })
  expect([exit, stderr]).toEqual([69, expect.stringMatching(/sslrootcert.*ENOENT|ENOENT.*sslrootcert/)])
})
