import { readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { readSettings } from "../src/config/readConfig.ts"
import type { Check } from "../src/doctor/Check.ts"
import { PRODUCTION_ITEMS, productionChecks, withProduction } from "../src/doctor/production/productionChecks.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"

const HOUR_MS = 3_600_000
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const backup = join(folder.path, "parley.backup")
writeFileSync(backup, "rows")
const now = Date.now()

/** Everything is decided and safe. */
const READY = {
  NODE_ENV: "production",
  PARLEY_BASE_URL: "https://app.example.com",
  PARLEY_TRUST_PROXY: "1",
  PARLEY_SESSION_ISSUER: "https://id.example.com/",
  PARLEY_SESSION_AUDIENCE: "parley",
  DATABASE_URL: "postgres://parley@db.example.com/parley?sslmode=verify-full",
  OPENAI_API_KEY: "a key",
  STRIPE_SECRET_KEY: "sk_live_a",
  STRIPE_WEBHOOK_SECRET: "whsec_a",
  PARLEY_ENCRYPTION_KEY: Buffer.from("Hn4cW8pRk2Yd6TzM9vQb3FsX7jLg5EaU").toString("base64"),
  PARLEY_RETENTION_CHATS: "365",
  PARLEY_RETENTION_VISITORS: "90",
  PARLEY_RETENTION_LOGS: "730",
  PARLEY_BACKUPS: backup
}

const checksOf = (changes: Environment, at = now): ReadonlyArray<Check> =>
  productionChecks(readSettings({ ...READY, ...changes }, folder.path).config, at)
const failuresOf = (changes: Environment, at = now) => checksOf(changes, at).filter(({ status }) => status === "failed")

describe("the checklist of going to production", () => {
  it("is fulfilled by a configuration in which everything is decided and safe", () => {
    expect(checksOf({}).map(({ name, status }) => [name, status])).toEqual(
      PRODUCTION_ITEMS.filter((name) => name !== "workers").map((name) => [name, "ok"])
    )
  })

  it.each<[item: string, changes: Environment, named: string]>([
    ["production mode", { NODE_ENV: "" }, "NODE_ENV"],
    ["address", { PARLEY_BASE_URL: "" }, "PARLEY_BASE_URL"],
    ["address", { PARLEY_BASE_URL: "http://app.example.com" }, "PARLEY_BASE_URL"],
    ["proxy trust", { PARLEY_TRUST_PROXY: "" }, "PARLEY_TRUST_PROXY"],
    ["issuer and audience", { PARLEY_SESSION_AUDIENCE: "" }, "PARLEY_SESSION_AUDIENCE"],
    ["issuer and audience", { PARLEY_SESSION_ISSUER: "" }, "PARLEY_SESSION_ISSUER"],
    [
      "issuer and audience",
      { PARLEY_SESSION_ISSUER: "", PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE" },
      "PARLEY_SESSION_ISSUER"
    ],
    ["database server", { DATABASE_URL: "" }, "DATABASE_URL"],
    ["database TLS", { DATABASE_URL: "postgres://parley@db.example.com/parley" }, "DATABASE_URL"],
    ["database TLS", { DATABASE_URL: "postgres://parley@db.example.com/parley?sslmode=require" }, "DATABASE_URL"],
    ["database TLS", { DATABASE_DIRECT_URL: "postgres://parley@db.example.com/parley" }, "DATABASE_DIRECT_URL"],
    ["stand-ins", { OPENAI_API_KEY: "" }, "OPENAI_API_KEY"],
    ["stand-ins", { PARLEY_ALLOW_STAND_INS: "1" }, "PARLEY_ALLOW_STAND_INS"],
    ["webhook secret", { STRIPE_WEBHOOK_SECRET: "" }, "STRIPE_WEBHOOK_SECRET"],
    [
      "webhook secret",
      { STRIPE_SECRET_KEY: "", STRIPE_WEBHOOK_SECRET: "", PARLEY_CONFIG: "prices.json" },
      "STRIPE_SECRET_KEY"
    ],
    ["encryption key", { PARLEY_ENCRYPTION_KEY: "" }, "PARLEY_ENCRYPTION_KEY"],
    ["retention", { PARLEY_RETENTION_LOGS: "" }, "PARLEY_RETENTION_LOGS"],
    ["backup", { PARLEY_BACKUPS: "" }, "PARLEY_BACKUPS"],
    ["backup", { PARLEY_BACKUPS: "no-such-folder" }, "PARLEY_BACKUPS"]
  ])("fails on %s alone if %j is set so, and names the variable and a remedy", (item, changes, named) => {
    writeFileSync(join(folder.path, "prices.json"), JSON.stringify({ prices: { price_1: { topup: 5000 } } }))
    const failures = failuresOf(changes)
    expect(failures.map(({ name }) => name)).toContain(item)
    const found = failures.find(({ name }) => name === item)
    expect(`${found?.detail} ${found?.advice}`).toContain(named)
    expect(found?.advice).toMatch(/\.$/)
    expect(failures.length).toBe(1)
  })

  it("takes a backup of the last day from a file, or the newest in a folder, and none that is older or empty", () => {
    const at = new Date(now - 5 * HOUR_MS)
    utimesSync(backup, at, at)
    expect(failuresOf({})).toEqual([])
    expect(failuresOf({ PARLEY_BACKUPS: folder.path })).toEqual([])
    expect(failuresOf({}, now + 22 * HOUR_MS)).toMatchObject([{ name: "backup", detail: "the newest is 27 hours old" }])
    const empty = join(folder.path, "empty.backup")
    writeFileSync(empty, "")
    expect(failuresOf({ PARLEY_BACKUPS: empty }).map(({ name }) => name)).toEqual(["backup"])
  })

  it("says that it cannot check backups that are made elsewhere", () => {
    const found = checksOf({ PARLEY_BACKUPS: "elsewhere" }).find(({ name }) => name === "backup")
    expect(found).toMatchObject({ status: "ok", detail: expect.stringContaining("nothing here can check it") })
  })

  it("fails without a worker and behind a proxy that is not trusted, which are notes elsewhere", () => {
    const notes = ["workers", "proxy", "uploads"].map((name): Check => ({
      name,
      status: "note",
      detail: "none",
      advice: "Start one."
    }))
    expect(withProduction(notes, []).map(({ status }) => status)).toEqual(["failed", "failed", "note"])
  })

  it("is listed in the same order by the page that explains it", () => {
    const page = readFileSync(new URL("../../../docs/deploy/production.md", import.meta.url), "utf8")
    const headings = [...page.matchAll(/^### \d+\. (.+)$/gm)].map(([, name]) => name?.toLowerCase())
    expect(headings).toEqual(PRODUCTION_ITEMS.map((name) => name.toLowerCase()))
  })

  it("decides the exit code of doctor --production, and not that of doctor", async () => {
    using empty = temporaryFolder()
    const usual = await runHere(["doctor", "--json"], empty.path, { PORT: "0" })
    expect(usual.exit).toBe(0)
    const production = await runHere(["doctor", "--production", "--json"], empty.path, { PORT: "0" })
    expect(production.exit).toBe(3)
    const { checks } = JSON.parse(production.stdout) as { readonly checks: ReadonlyArray<Check> }
    const failed = checks.filter(({ status }) => status === "failed").map(({ name }) => name)
    expect(failed).toEqual([
      ...["production mode", "address", "proxy trust", "issuer and audience", "database server", "stand-ins"],
      ...["encryption key", "retention", "backup"]
    ])
  })
})
