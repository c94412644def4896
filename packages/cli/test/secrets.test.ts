import { randomBytes } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { readConfig } from "../src/config/readConfig.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { findDevelopmentKey, openDevelopmentKey } from "../src/secrets/developmentKey.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

const newKey = () => randomBytes(32).toString("base64")

it("a development key is drawn once for its owner's eyes alone, and read afterwards", () => {
  using folder = temporaryFolder()
  const data = join(folder.path, "deep", "data")
  expect(findDevelopmentKey(data)).toBeUndefined()
  const [first] = openDevelopmentKey(data) ?? []
  const [again] = openDevelopmentKey(data) ?? []
  if (first === undefined || again === undefined) throw new Error("no key was drawn")
  expect(Redacted.value(again.bytes)).toEqual(Redacted.value(first.bytes))
  expect(statSync(join(data, "encryption.key")).mode & 0o777).toBe(0o600)
  expect(Buffer.from(readFileSync(join(data, "encryption.key"), "utf8"), "base64")).toHaveLength(32)
  expect(openDevelopmentKey("/proc/nowhere")).toBeUndefined()
})

it("unusable keys are reported with the other problems, and never shown", async () => {
  const environment = { PARLEY_ENCRYPTION_KEY: `hunter2,${newKey()}`, PORT: "x" }
  const failed = await Effect.runPromise(Effect.flip(readConfig(environment, "/srv/parley")))
  expect(failed.problems).toEqual([
    expect.stringMatching(/^PORT: /),
    expect.stringMatching(/^PARLEY_ENCRYPTION_KEY: key 1: expected 32 bytes/)
  ])
  expect(failed.message).not.toContain("hunter2")
})

it("in production a CRM provider without a key is refused", async () => {
  const environment = {
    NODE_ENV: "production",
    PARLEY_ALLOW_STAND_INS: "1",
    PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE",
    PARLEY_SESSION_ISSUER: "us",
    PARLEY_SESSION_AUDIENCE: "parley",
    CRM_PROVIDER_ONE_PRESET: "hubspot",
    CRM_PROVIDER_ONE_CLIENT_ID: "id",
    CRM_PROVIDER_ONE_CLIENT_SECRET: randomBytes(32).toString("hex"),
    CRM_PROVIDER_ONE_SCOPES: "crm.objects.contacts.read"
  }
  const refusals = async (more: Readonly<Record<string, string>> = {}) =>
    serveRefusals(await Effect.runPromise(readConfig({ ...environment, ...more }, "/srv/parley")))
  expect(await refusals()).toEqual([expect.stringMatching(/^PARLEY_ENCRYPTION_KEY: /)])
  expect(await refusals({ PARLEY_ENCRYPTION_KEY: newKey() })).toEqual([])
})

it("parley secrets rotate says what it did, is entered in the audit, and needs a key; doctor names the key's id", async () => {
  using folder = temporaryFolder()
  const key = newKey()
  const environment = { PARLEY_ENCRYPTION_KEY: `2026:${key},old:${newKey()}` }
  {
    // The server runs the commands, so that each finds the database open.
    await using _server = await serveHere(folder.path, environment)
    const tried = await runHere(["secrets", "rotate", "--dry-run", "--json"], folder.path, environment)
    const counts = { key: "2026", resealed: 0, unreadable: 0, left: 0, keys: [] }
    expect([tried.exit, JSON.parse(tried.stdout)]).toEqual([0, { dryRun: true, ...counts }])
    const done = await runHere(["secrets", "rotate", "--by", "olga"], folder.path, environment)
    expect([done.exit, done.stdout]).toEqual([0, expect.stringContaining("No other key is in use")])
    const { stdout } = await runHere(["audit", "list", "--json"], folder.path, environment)
    expect((JSON.parse(stdout) as { entries: ReadonlyArray<unknown> }).entries).toMatchObject([
      { action: "secrets rotate", by: "olga" }
    ])
    const doctor = await runHere(["doctor", "--json"], folder.path, environment)
    expect(doctor.stdout).toContain("2026 encrypts, and 1 more can decrypt")
    expect(doctor.stdout + doctor.stderr + done.stdout + done.stderr).not.toContain(key)
  }
  const keyless = await runHere(["secrets", "rotate"], folder.path)
  expect([keyless.exit, keyless.stderr]).toEqual([3, expect.stringContaining("PARLEY_ENCRYPTION_KEY")])
})
