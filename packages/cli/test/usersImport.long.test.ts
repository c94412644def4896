import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { type Effect, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { eventually, ParleyProcess, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
const PEOPLE = 100_000
/** The import is killed when so many people are imported: a number of whole parts. */
const KILLED_AT = 30_000

/** Every second person has a customer. */
const lineOf = (person: number) => ({
  user: `person-${person}`,
  tier: ["free", "pro", "business"][person % 3],
  allowance: person % 90,
  topup: person % 1_000,
  anchor: `2025-${String((person % 12) + 1).padStart(2, "0")}-15T09:00:00Z`,
  ...(person % 2 === 0 ? { stripeCustomer: `cus_${person}` } : {})
})

const writePeople = async (path: string) => {
  const file = createWriteStream(path)
  for (let person = 0; person < PEOPLE; person += 1) file.write(`${JSON.stringify(lineOf(person))}\n`)
  file.end()
  await finished(file)
}

const sumOf = (of: (line: ReturnType<typeof lineOf>) => number) => {
  let sum = 0
  for (let person = 0; person < PEOPLE; person += 1) sum += of(lineOf(person))
  return sum
}

describe.skipIf(url === "")("an import of 100,000 people", () => {
  it(
    "ends within two minutes although it is killed half-way, and gives each person their balance once",
    { timeout: 900_000 },
    async () => {
      const schema = `import_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
      using folder = temporaryFolder()
      const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
      // One connection for all looks, so that they take no time from the import.
      const database = ManagedRuntime.make(PgDatabaseLayer({ url, schema }))
      const asOwner = <A>(work: Effect.Effect<A, unknown, DatabaseOwner>) => database.runPromise(work)
      const rows = (text: string) => asOwner(DatabaseOwner.use(({ execute }) => execute(text.replaceAll("{}", schema))))
      await writePeople(join(folder.path, "people.jsonl"))
      expect((await runParley(["migrate"], folder.path, environment)).exit).toBe(0)

      const begun = performance.now()
      const first = new ParleyProcess(["users", "import", "people.jsonl"], folder.path, environment)
      await eventually(
        "a part of the import",
        async () => {
          const found = await rows(`SELECT 1 FROM {}.credit_accounts WHERE user_id = 'person-${KILLED_AT}'`)
          return found.length > 0 || undefined
        },
        300_000
      )
      first.child.kill("SIGKILL")
      await first.ended
      const second = await runParley(["users", "import", "people.jsonl", "--json"], folder.path, environment)
      const took = performance.now() - begun
      const report = JSON.parse(second.stdout) as { readonly created: number; readonly unchanged: number }
      expect(report).toMatchObject({ lines: PEOPLE, updated: 0, refused: [] })
      expect(report.created + report.unchanged).toBe(PEOPLE)
      expect(report.unchanged).toBeGreaterThanOrEqual(KILLED_AT)
      process.stderr.write(`${PEOPLE} people took ${Math.round(took / 1_000)} s, with the kill.\n`)

      const third = await runParley(["users", "import", "people.jsonl", "--json"], folder.path, environment)
      expect(JSON.parse(third.stdout)).toMatchObject({ created: 0, unchanged: PEOPLE, refused: [] })
      expect((await runParley(["credits", "verify"], folder.path, environment)).exit).toBe(0)
      const [sums] = await rows(
        `SELECT count(*)::int AS people, sum(allowance)::bigint::text AS allowance, sum(topup)::bigint::text AS topup,
         (SELECT sum(amount)::text FROM {}.credit_transactions) AS amount,
         (SELECT count(*)::int FROM {}.credit_transactions) AS transactions,
         (SELECT count(*)::int FROM {}.payment_references WHERE owner IS NOT NULL) AS customers
       FROM {}.credit_accounts`
      )
      const [allowance, topup] = [sumOf((line) => line.allowance), sumOf((line) => line.topup)]
      expect(sums).toEqual({
        ...{ people: PEOPLE, allowance: String(allowance), topup: String(topup) },
        ...{ amount: String(allowance + topup), transactions: 2 * PEOPLE, customers: PEOPLE / 2 }
      })
      await asOwner(
        DatabaseOwner.use(({ asOwner: run }) =>
          run((sql) => sql.script(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`))
        )
      )
      await database.dispose()
      expect(took).toBeLessThan(120_000)
    }
  )
})
