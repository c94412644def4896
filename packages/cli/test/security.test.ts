import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { readConfig } from "../src/config/readConfig.ts"
import {
  unencryptedAddresses,
  unencryptedConnections,
  warningText,
  weakSecrets
} from "../src/config/rules/securityWarnings.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

const STRONG = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
const CLAIMS = { PARLEY_SESSION_ISSUER: "us", PARLEY_SESSION_AUDIENCE: "parley" }
const SECRETS = ["PARLEY_SESSION_SECRET", "CRON_SECRET"] as const
const read = (environment: Environment) => Effect.runPromise(readConfig(environment, "/srv/parley"))

describe("weak secrets", () => {
  const production = { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", PARLEY_SESSION_SECRET: STRONG, ...CLAIMS }

  it.each(SECRETS)(
    "in production %s is refused where it is short or plainly guessed, without its value",
    async (name) => {
      for (const value of ["hunter2-short", "changeme-changeme-changeme-changeme", "x".repeat(64)]) {
        const refusals = serveRefusals(await read({ ...production, [name]: value }))
        expect(refusals).toEqual([expect.stringContaining(`${name}: it `)])
        expect(refusals.join()).not.toContain(value)
      }
      expect(serveRefusals(await read({ ...production, [name]: STRONG }))).toEqual([])
    }
  )

  it.each(SECRETS)("elsewhere %s is warned about, and nothing is refused", async (name) => {
    const config = await read({ [name]: "hunter2" })
    expect(serveRefusals(config)).toEqual([])
    expect(weakSecrets(config).map(warningText)).toEqual([expect.stringMatching(`^${name}: it .*"openssl rand`)])
    expect(weakSecrets(config).map(warningText).join()).not.toContain("hunter2")
    expect(weakSecrets(await read({ [name]: STRONG }))).toEqual([])
  })
})

describe("addresses without https", () => {
  const settingsIn = async (environment: Environment) =>
    unencryptedAddresses(await read(environment)).map(({ setting }) => setting)

  it("are warned about, of this server in production also if none is set", async () => {
    const remote = "http://somewhere.example.com"
    const keys = { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "a", STRIPE_SECRET_KEY: "a" }
    const all = { OPENAI_BASE_URL: remote, ANTHROPIC_BASE_URL: remote, STRIPE_API_URL: remote }
    expect(await settingsIn({ ...keys, ...all, PARLEY_BASE_URL: remote })).toEqual([
      "PARLEY_BASE_URL",
      "OPENAI_BASE_URL",
      "ANTHROPIC_BASE_URL",
      "STRIPE_API_URL"
    ])
    expect(await settingsIn({ NODE_ENV: "production" })).toEqual(["PARLEY_BASE_URL"])
  })

  it("are no warning on this machine, in a container beside it, and over https", async () => {
    for (const url of [
      "http://localhost:1234",
      "http://127.0.0.1:1234",
      "http://ollama:11434",
      "https://x.example.com"
    ]) {
      expect(await settingsIn({ OPENAI_API_KEY: "a", OPENAI_BASE_URL: url, PARLEY_BASE_URL: url }), url).toEqual([])
    }
  })
})

describe("connections to a database in production", () => {
  const production = {
    NODE_ENV: "production",
    PARLEY_ALLOW_STAND_INS: "1",
    PARLEY_SESSION_SECRET: STRONG,
    ...CLAIMS
  }
  it.each([
    "postgres://parley:hunter2@db.example/parley",
    "postgres://parley:hunter2@db.example/parley?sslmode=require",
    "postgres://parley:hunter2@db.example/parley?sslmode=no-verify",
    "postgres://parley:hunter2@db.example/parley?ssl=true",
    "postgres://parley:hunter2@db.example/parley?sslmode=verify-full&sslmode=disable",
    "postgres://parley:hunter2@10.0.0.5/parley",
    "postgres://[2001:db8::1]/parley"
  ])("to another machine are refused without a verified certificate: %s", async (url) => {
    const refusals = serveRefusals(await read({ ...production, DATABASE_URL: url, DATABASE_DIRECT_URL: url }))
    expect(refusals).toEqual([
      expect.stringMatching(/^DATABASE_URL: .*verify-full/),
      expect.stringMatching(/^DATABASE_DIRECT_URL: .*verify-full/)
    ])
    expect(refusals.join()).not.toMatch(/hunter2|db\.example/)
    expect(serveRefusals(await read({ DATABASE_URL: url }))).toEqual([])
  })

  it.each([
    "postgres://db.example/parley?sslmode=verify-full",
    "postgres://127.0.0.1/parley",
    "postgres://postgres/parley",
    "postgres:///parley?host=/run/postgresql"
  ])("are accepted: %s", async (url) => {
    expect(serveRefusals(await read({ ...production, DATABASE_URL: url }))).toEqual([])
  })
})

describe("connections to the database", () => {
  const settingsOf = async (environment: Environment) =>
    unencryptedConnections(await read(environment)).map(({ setting }) => setting)

  it.each([
    "postgres://parley:hunter2@db.example/parley",
    "postgresql://parley@10.0.0.5:5432/parley",
    "postgres://db/parley?sslmode=disable",
    "postgres://db/parley?sslmode=allow",
    "postgres://db/parley?sslmode=prefer",
    "postgres://db/parley?sslmode=",
    "postgres://localhost/parley?host=db.example",
    "postgres://[2001:db8::1]/parley",
    "postgres://db/parley?ssl=false",
    "postgres://db/parley?ssl=true&sslmode=disable",
    "postgres://db/parley?sslmode=require&sslmode=prefer"
  ])("over a network without TLS are warned about: %s", async (url) => {
    expect(await settingsOf({ DATABASE_URL: url })).toEqual(["DATABASE_URL"])
    const both = { DATABASE_URL: url, DATABASE_DIRECT_URL: url }
    expect(await settingsOf(both)).toEqual(["DATABASE_URL", "DATABASE_DIRECT_URL"])
    const texts = unencryptedConnections(await read(both)).map(warningText)
    expect(texts.join()).not.toMatch(/hunter2|db\.example/)
  })

  it.each([
    "postgres://parley@localhost/parley",
    "postgres://127.0.0.1:5432/parley",
    "postgres://[::1]/parley",
    "postgres:///parley",
    "postgres:///parley?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/parley",
    "postgres://db/parley?sslmode=require",
    "postgres://db/parley?sslmode=verify-ca",
    "postgres://db/parley?sslmode=verify-full",
    "postgres://db/parley?ssl=true"
  ])("with TLS, or on this machine, are fine: %s", async (url) => {
    expect(await settingsOf({ DATABASE_URL: url })).toEqual([])
  })

  it("follow what libpq's variables add", async () => {
    expect(await settingsOf({ DATABASE_URL: "postgres://db/parley", PGSSLMODE: "require" })).toEqual([])
    expect(await settingsOf({ DATABASE_URL: "postgres://db/parley", PGSSLMODE: "prefer" })).toEqual(["DATABASE_URL"])
    expect(await settingsOf({ DATABASE_URL: "postgres://db/parley?ssl=0", PGSSLMODE: "require" })).toEqual([
      "DATABASE_URL"
    ])
    expect(await settingsOf({ DATABASE_URL: "postgres:///parley", PGHOST: "db" })).toEqual(["DATABASE_URL"])
    expect(await settingsOf({})).toEqual([])
  })
})

describe("parley serve and parley doctor", () => {
  it("report a weak secret, serve at its start and doctor in its list, and never show it", async () => {
    using folder = temporaryFolder()
    const environment = { PARLEY_SESSION_SECRET: "hunter2-hunter2", CRON_SECRET: STRONG }
    {
      await using server = await serveHere(folder.path, environment)
      expect(server.said.stderr).toMatch(/WARN.*PARLEY_SESSION_SECRET: it /)
      expect(server.said.stderr).not.toMatch(/CRON_SECRET|hunter2/)
    }
    const { exit, stdout } = await runHere(["doctor", "--json"], folder.path, environment)
    expect(exit).toBe(0)
    expect(stdout).not.toContain("hunter2")
    const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<{ name: string; status: string; detail: string }> }
    expect(checks.filter(({ detail }) => detail.includes("PARLEY_SESSION_SECRET: it "))).toMatchObject([
      { name: "secrets", status: "note" }
    ])
  })

  it("refuse it in production with 3", async () => {
    using folder = temporaryFolder()
    const environment = {
      NODE_ENV: "production",
      PARLEY_ALLOW_STAND_INS: "1",
      PARLEY_SESSION_SECRET: STRONG,
      ...CLAIMS,
      CRON_SECRET: "secret"
    }
    const [served, examined] = await Promise.all([
      runHere(["serve"], folder.path, { ...environment, PORT: "0" }),
      runHere(["doctor"], folder.path, environment)
    ])
    expect([served.exit, examined.exit]).toEqual([3, 3])
    for (const text of [served.stderr, examined.stdout]) expect(text).toContain("CRON_SECRET: it ")
  })

  it("report a database on another machine without TLS, before they connect", async () => {
    using folder = temporaryFolder()
    const environment = { DATABASE_URL: "postgres://parley:hunter2@database.invalid/parley" }
    const [served, examined] = await Promise.all([
      runHere(["serve"], folder.path, { ...environment, PORT: "0" }),
      runHere(["doctor", "--json"], folder.path, environment)
    ])
    expect(served.stderr).toMatch(/WARN.*DATABASE_URL: the database is on another machine/)
    const { checks } = JSON.parse(examined.stdout) as { checks: ReadonlyArray<{ name: string; detail: string }> }
    expect(checks.find(({ name }) => name === "database TLS")?.detail).toContain("DATABASE_URL: the database is on")
    expect(served.stderr + examined.stdout + examined.stderr).not.toContain("hunter2")
  })
})
