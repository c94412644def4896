import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
const ANN = "ann@example.com"
const CRON_SECRET = "for-schedules"
const NONE = { accounts: 0, granted: 0, repaid: 0, expired: 0 }

describe("upkeep of credits beside a running server", () => {
  const folder = temporaryFolder()
  let server: ServerHere
  let ann: Visitor
  beforeAll(async () => {
    server = await serveHere(folder.path, { CRON_SECRET })
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
    await ann.getJson("/api/billing/balance")
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const parley = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout, stderr } = await runHere(["credits", ...argv], folder.path)
    return { exit, stdout, stderr }
  }
  const parleyJson = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout } = await parley(...argv, "--json")
    return [exit, JSON.parse(stdout)]
  }

  it("the key of a payment is refused for a grant and a correction, as a mistake in the command", async () => {
    for (const argv of [
      ["grant", ANN, "5", "--key", "topup:cs_1"],
      ["adjust", ANN, "--amount=5", "--reason", "gift", "--key", "topup:cs_1"]
    ]) {
      expect((await parley(...argv)).exit).toBe(2)
    }
    expect(await parleyJson("history", ANN)).toMatchObject([0, { total: 1 }])
  })

  it("a moment in the future is refused without --yes, with a sentence that says so, and nothing is reset", async () => {
    const { exit, stdout, stderr } = await parley("reset", "--as-of", "2126-01-01T00:00:00.000Z")
    expect([exit, stdout]).toEqual([5, ""])
    expect(stderr).toContain("2126-01-01T00:00:00.000Z has not come")
    expect(stderr).toContain("--yes")
    expect(await parleyJson("reset", "--dry-run", "--as-of", "2126-01-01T00:00:00.000Z")).toMatchObject([
      0,
      { resetCount: 1 }
    ])
  })

  it("a dry run counts what is due and does nothing; then the reset does it, once", async () => {
    const asOf = "2126-01-01T00:00:00.000Z"
    const due = {
      asOf,
      resetCount: 1,
      busy: 0,
      refused: 0,
      tiers: { free: { accounts: 1, granted: 100, repaid: 0, expired: 100 }, pro: NONE, business: NONE }
    }
    expect(await parleyJson("reset", "--dry-run", "--as-of", asOf)).toEqual([0, { dryRun: true, ...due }])
    expect(await parleyJson("reset", "--as-of", asOf, "--yes")).toEqual([0, { dryRun: false, ...due }])
    expect(await parleyJson("reset", "--as-of", asOf, "--yes")).toMatchObject([0, { resetCount: 0 }])
    const { transactions } = await ann.getJson<{ transactions: ReadonlyArray<object> }>("/api/billing/credit-history")
    expect(transactions).toMatchObject([
      { transaction_type: "reset", amount: 0 },
      { transaction_type: "reset", amount: 100 }
    ])
  })

  it("prints the same as a table for people, and draws no bar without a terminal", async () => {
    const { exit, stdout, stderr } = await parley("reset", "--dry-run")
    expect([exit, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/tier\s+accounts\s+granted\s+repaid debt\s+expired\nfree\s+0/)
    expect(stdout).toContain("Would reset 0 accounts")
  })

  it("takes no moment that is none", async () => {
    expect(await parley("reset", "--as-of", "soon")).toMatchObject({ exit: 2, stdout: "" })
  })

  it("verifies, and sweeps where nothing is left behind", async () => {
    expect(await parleyJson("verify")).toEqual([0, { ok: true, accounts: 1, differences: [] }])
    expect((await parley("verify")).stdout).toBe("Verified 1 accounts: every balance follows from its rows.\n")
    expect(await parleyJson("sweep")).toEqual([0, { charged: 0, released: 0, credits: 0, returned: 0, refused: 0 }])
  })

  it("the schedule's route takes the secret of the environment", async () => {
    const call = (authorization: string) =>
      fetch(`${server.url}/api/cron/reset-credits`, { headers: { authorization } })
    expect((await call("Bearer undefined")).status).toBe(401)
    const answer = await call(`Bearer ${CRON_SECRET}`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { resetCount: 0 }])
  })
})

describe.skipIf(url === "")("credits verify on a Postgres server", () => {
  const schema = `cli_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  const asOwner = (text: string) =>
    Effect.runPromise(
      Effect.provide(
        DatabaseOwner.use((owner) => owner.asOwner((sql) => sql.script(text))),
        PgDatabaseLayer({ url, schema })
      )
    )
  afterAll(async () => {
    folder[Symbol.dispose]()
    await asOwner(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
  })

  it("ends with 1 and names the account and what is wrong with it", async () => {
    const parley = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path, environment)
    await parley("migrate")
    await asOwner(`
      ALTER TABLE ${schema}.credit_accounts DISABLE TRIGGER USER;
      INSERT INTO ${schema}.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup, anchor,
        period_start, next_reset_at, transaction_count, version, by_type, terms_transaction)
      VALUES ('mallory', 'free', 0, 500, 0, 0, 0, now(), now(), now() + interval '1 month', 1, 1,
        '{0,0,1,1,0,0,0,0,0,0,0,0}', 1);
      ALTER TABLE ${schema}.credit_accounts ENABLE TRIGGER USER`)
    const people = await parley("credits", "verify")
    expect(people.exit).toBe(1)
    expect(people.stdout).toContain("mallory: sum of topup amounts: expected 0, found 500")
    const programs = await parley("credits", "verify", "--json")
    expect(programs.exit).toBe(1)
    expect(JSON.parse(programs.stdout)).toMatchObject({ ok: false, accounts: 1 })
  })
})
