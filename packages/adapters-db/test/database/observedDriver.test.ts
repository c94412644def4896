import { instruments } from "@parley/core/adapter"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { forPurpose } from "../../src/database/limits.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

/** Longer than a statement may take before it is logged. */
const SLOW = "SELECT pg_sleep(1.1), $1::text AS value"
const PERSON = "ann@example.com"

describe.skipIf(!hasPostgres)("statements on a server", () => {
  it("are measured by their purpose, and logged without their values if a person waited for over a second", async () => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
    const labels = { "db.system.name": "postgresql", "parley.purpose": "interactive" }
    const before = instruments.databaseDuration.read(labels)
    const work = Effect.gen(function* () {
      const { asUser, statement } = yield* Database
      yield* statement("SELECT 1")
      yield* statement(SLOW, ["hunter2"])
      yield* asUser(PERSON, (sql) => sql.query(SLOW, ["hunter2"]))
      yield* forPurpose("maintenance")(statement(SLOW, ["hunter2"]))
      const name = yield* statement<{ name: string }>("SELECT current_setting('application_name') AS name")
      expect(name).toEqual([{ name: "parley" }])
      const { idle, max, used } = (yield* DatabaseOwner).connections() ?? { idle: 0, max: 0, used: 0 }
      expect([idle + used > 0, used, max]).toEqual([true, 0, 10])
    })
    const onServer = Effect.flatMap(freshPostgres, (url) => Effect.provide(work, PgDatabaseLayer({ url })))
    await Effect.runPromise(Effect.scoped(Effect.provide(onServer, Logger.layer([logger]))))
    expect(instruments.databaseDuration.read(labels) - before).toBeGreaterThanOrEqual(4)
    const slow = lines.filter((line) => line.includes("A statement was slow."))
    expect(slow).toHaveLength(2)
    for (const line of slow) expect(line).toMatch(/"purpose":"interactive".*SELECT pg_sleep/)
    expect(lines.join("\n")).not.toMatch(/hunter2|ann@example/)
  })
})
