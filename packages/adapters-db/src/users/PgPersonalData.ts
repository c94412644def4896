import { type ErasedData, type EraseInput, PersonalData, type StoredData } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

const countText = (schema: string) => `
  SELECT (SELECT count(*) FROM ${schema}.chats WHERE user_id = $1) AS chats,
    (SELECT count(*) FROM ${schema}.documents WHERE user_id = $1) AS documents,
    coalesce((SELECT transaction_count FROM ${schema}.credit_accounts WHERE user_id = $1), 0) AS transactions`

const make = Effect.map(Database, ({ asService, schema, statement }) =>
  PersonalData.of({
    count: Effect.fnUntraced(function* (userId) {
      const [row] = yield* statement<StoredData & Record<string, unknown>>(countText(schema), [userId])
      return { chats: row?.chats ?? 0, documents: row?.documents ?? 0, transactions: row?.transactions ?? 0 }
    }, storing("PersonalData.count")),
    begin: (userId) =>
      storing(
        "PersonalData.begin",
        "documents"
      )(asService(({ query }) => Effect.asVoid(query(`SELECT ${schema}.begin_erasure($1)`, [userId])))),
    erase: Effect.fnUntraced(
      function* ({ pseudonym, userId }: EraseInput) {
        const erased = yield* asService(({ query }) =>
          Effect.gen(function* () {
            const [row] = yield* query<{ erased: Omit<ErasedData, "_tag"> | null }>(
              `SELECT ${schema}.erase_user($1, $2) AS erased`,
              [userId, pseudonym]
            )
            if (row?.erased == null) return undefined
            yield* query(`SELECT ${schema}.erase_access($1)`, [userId])
            return row.erased
          })
        )
        return erased === undefined ? { _tag: "AccountInUse" as const } : { _tag: "Erased" as const, ...erased }
      },
      storing("PersonalData.erase", "documents")
    )
  })
)

/** The personal data in Postgres or PGlite, erased in one transaction. */
export const PgPersonalDataLayer: Layer.Layer<PersonalData, never, Database> = Layer.effect(PersonalData, make)
