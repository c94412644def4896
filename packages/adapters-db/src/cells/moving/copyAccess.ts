import { Effect } from "effect"
import type { Cell } from "./ownerTables.ts"

/** The people whose access is meant: the digest of an id begins with the bucket of its owner. */
type AccessOf = { readonly owner: string } | { readonly buckets: ReadonlyArray<number> }

const condition = (of: AccessOf): readonly [string, unknown] =>
  "owner" in of
    ? ["person = sha256(convert_to($1::text, 'UTF8'))", of.owner]
    : ["get_byte(person, 0) * 16 + get_byte(person, 1) / 16 = ANY($1::integer[])", of.buckets]

/**
 * Has a cell know the blocks and sign-outs of people that another cell knows: people without an account have them too, and
 * erased ones. The newer row of a person counts, so that it may be repeated.
 */
export const copyAccess = Effect.fnUntraced(function* (from: Cell, to: Cell, of: AccessOf) {
  const [isMeant, value] = condition(of)
  const rows = yield* from.database.statement<{ row: unknown }>(
    `SELECT to_jsonb(a) AS row FROM ${from.database.schema}.access a WHERE ${isMeant}`,
    [value]
  )
  if (rows.length === 0) return
  const { schema, statement } = to.database
  yield* statement(
    `INSERT INTO ${schema}.access AS a (person, subject, not_before, blocked_at, changed_at)
     SELECT r.person, r.subject, r.not_before, r.blocked_at, r.changed_at
     FROM jsonb_populate_recordset(NULL::${schema}.access, $1::jsonb) r
     ON CONFLICT (person) DO UPDATE SET
       subject = CASE WHEN excluded.changed_at >= a.changed_at THEN excluded.subject ELSE a.subject END,
       not_before = greatest(a.not_before, excluded.not_before),
       blocked_at = CASE WHEN excluded.changed_at >= a.changed_at THEN excluded.blocked_at ELSE a.blocked_at END,
       changed_at = greatest(a.changed_at, excluded.changed_at)`,
    [JSON.stringify(rows.map(({ row }) => row))]
  )
})
