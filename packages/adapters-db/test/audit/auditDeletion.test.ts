import { AuditLog } from "@parley/core/adapter"
import { suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PgAuditLogLayer } from "../../src/audit/PgAuditLog.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { databases } from "../databases.ts"

const count = Database.use(({ schema, statement }) =>
  Effect.map(statement<{ count: number }>(`SELECT count(*) FROM ${schema}.audit_log`), ([row]) => row?.count)
)

for (const { name, layer } of databases) {
  suiteOn(`the table of the audit log: ${name}`, Layer.provideMerge(PgAuditLogLayer, layer), (run) => {
    it("refuses to delete young entries and to change any, from the service and from the owner of the tables", () =>
      run(
        Effect.gen(function* () {
          const { asService, schema } = yield* Database
          const { asOwner } = yield* DatabaseOwner
          yield* AuditLog.use((log) =>
            log.record({ action: "users block", by: "operator", userId: undefined, reason: undefined, details: "" })
          )
          const statements = [
            `DELETE FROM ${schema}.audit_log`,
            `UPDATE ${schema}.audit_log SET operator = 'another'`,
            `TRUNCATE ${schema}.audit_log`
          ]
          for (const text of statements) {
            yield* Effect.flip(asService(({ query }) => query(text)))
            expect(yield* Effect.flip(asOwner(({ query }) => query(text)))).toMatchObject({ sqlState: "23001" })
          }
          expect(yield* count).toBe(1)
        })
      ))
  })
}
