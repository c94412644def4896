import { Effect } from "effect"
import { Database, type DatabaseError, type Row } from "../../database/Database.ts"
import { DatabaseOwner } from "../../database/DatabaseOwner.ts"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import { ownersByTable } from "../moving/everyOwner.ts"

interface OwnersInput {
  /** Only owners after this one, in the order of their bytes. */
  readonly after: string
  readonly limit: number
  /** Only those in these buckets; of all buckets unless given. */
  readonly buckets?: ReadonlyArray<number> | undefined
}

/** The owners who have rows in a database, have moved away from it, or are being moved, in the order of their bytes. */
export const ownersIn = ({
  after,
  buckets,
  limit
}: OwnersInput): Effect.Effect<ReadonlyArray<string>, DatabaseError, Database | DatabaseOwner> =>
  Effect.gen(function* () {
    const [database, owner] = [yield* Database, yield* DatabaseOwner]
    const where = (person: string) =>
      `${person} > $1 ${buckets === undefined ? "" : `AND ${bucketSql(person)} = ANY($3::integer[])`}`
    const rows = yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        const parts = yield* ownersByTable(sql, { database, owner }, { limit: "$2", where })
        parts.push(`(SELECT person FROM ${database.schema}.moved_owners WHERE state <> 'home' AND ${where("person")}
          ORDER BY person LIMIT $2)`)
        return yield* sql.query<Row & { person: string }>(
          `SELECT person FROM (${parts.join(" UNION ")}) found ORDER BY person COLLATE "C" LIMIT $2`,
          [after, limit, ...(buckets === undefined ? [] : [buckets])]
        )
      })
    )
    return rows.map(({ person }) => person)
  }).pipe(forPurpose("audit"))
