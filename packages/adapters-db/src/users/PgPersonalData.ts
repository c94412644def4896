import {
  cursorOf,
  type ErasedData,
  type EraseInput,
  type ListedPerson,
  type ListPeopleInput,
  pageOf,
  PersonalData,
  PersonPosition,
  readCursor,
  type StoredData
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { livesHere, livesHereNow } from "../storage/leftRows.ts"

const countText = (schema: string) => `
  SELECT (SELECT count(*) FROM ${schema}.chats WHERE user_id = $1) AS chats,
    (SELECT count(*) FROM ${schema}.documents WHERE user_id = $1 AND chat_id IS NULL) AS documents,
    coalesce((SELECT transaction_count FROM ${schema}.credit_accounts WHERE user_id = $1), 0) AS transactions`

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

/** Each part returns the first people by itself, so that a page costs its length. */
const listText = (schema: string) => `
  SELECT p.user_id AS "userId", c.tier, c.allowance + c.topup - c.held_allowance - c.held_topup AS available,
    ${milliseconds("a.blocked_at")} AS "blockedAt", ${milliseconds("a.not_before")} AS "notBefore"
  FROM (
    (SELECT user_id FROM ${schema}.credit_accounts c
     WHERE user_id > $2 COLLATE "C" AND NOT $3
       AND ($1 = '' OR user_id = $5 COLLATE "C" OR strpos(lower(user_id), lower($1)) > 0
         OR EXISTS (SELECT FROM ${schema}.billing_accounts b WHERE b.user_id = c.user_id AND b.customer_id = $1)
         OR EXISTS (SELECT FROM ${schema}.sign_in_people s WHERE s.subject = c.user_id AND s.email = lower($1)))
       AND NOT EXISTS (SELECT FROM ${schema}.erasures e WHERE e.pseudonym = c.user_id)
       AND ${livesHere(schema, "c.user_id")}
     ORDER BY user_id LIMIT $4)
    UNION
    (SELECT subject FROM ${schema}.access
     WHERE subject > $2 COLLATE "C" AND (blocked_at IS NOT NULL OR NOT $3 AND not_before IS NOT NULL)
       AND ${livesHereNow(schema, "subject")}
       AND ($1 = '' OR subject = $5 COLLATE "C" OR strpos(lower(subject), lower($1)) > 0
         OR EXISTS (SELECT FROM ${schema}.billing_accounts b WHERE b.user_id = subject AND b.customer_id = $1)
         OR EXISTS (SELECT FROM ${schema}.sign_in_people s WHERE s.subject = access.subject AND s.email = lower($1)))
     ORDER BY subject LIMIT $4)
  ) p
  LEFT JOIN ${schema}.credit_accounts c ON c.user_id = p.user_id
  LEFT JOIN ${schema}.access a ON a.subject = p.user_id
  ORDER BY p.user_id LIMIT $4`

type ListedRow = { readonly [Field in keyof ListedPerson]: ListedPerson[Field] | null } & Record<string, unknown>

const personOf = ({ available, blockedAt, notBefore, tier, userId }: ListedRow): ListedPerson => ({
  userId: userId ?? "",
  tier: tier ?? undefined,
  available: available ?? undefined,
  blockedAt: blockedAt ?? undefined,
  notBefore: notBefore ?? undefined
})

const make = Effect.map(Database, ({ asService, schema, statement }) =>
  PersonalData.of({
    list: Effect.fnUntraced(function* ({ after, also, blocked, limit, search = "" }: ListPeopleInput) {
      const [last = ""] = (yield* readCursor(PersonPosition, after)) ?? []
      const rows = yield* statement<ListedRow>(listText(schema), [search, last, blocked, limit + 1, also ?? null])
      return pageOf(rows.map(personOf), limit, ({ userId }) => cursorOf(userId))
    }, storing("PersonalData.list")),
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
            yield* query(`SELECT ${schema}.erase_access($1), ${schema}.erase_operator($1, $2)`, [userId, pseudonym])
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
