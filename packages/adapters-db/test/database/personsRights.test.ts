import { type Run, suiteOn } from "@parley/core/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Database, type Row } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { databases } from "../databases.ts"

type Parts = Database | DatabaseOwner

/** A right that the role of a person holds on a table or view, beside one of the policies that apply to it, if any. */
interface Right extends Row {
  readonly table: string
  readonly privilege: string
  /** What the policy demands of rows that are there, and of rows as they are to be; null if it demands nothing. */
  readonly using: string | null
  readonly check: string | null
}

const rightsText = `
  SELECT c.relname AS table, r.privilege, pg_get_expr(p.polqual, p.polrelid) AS using,
    coalesce(pg_get_expr(p.polwithcheck, p.polrelid), pg_get_expr(p.polqual, p.polrelid)) AS check
  FROM pg_class c
  CROSS JOIN (VALUES ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd'), ('TRUNCATE', ''),
    ('REFERENCES', ''), ('TRIGGER', '')) AS r(privilege, command)
  LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', r.command::"char")
    AND p.polroles && ARRAY[0::oid, 'parley_user'::regrole::oid]
  WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND CASE WHEN r.privilege IN ('DELETE', 'TRUNCATE', 'TRIGGER')
      THEN has_table_privilege('parley_user', c.oid, r.privilege)
      ELSE has_any_column_privilege('parley_user', c.oid, r.privilege) END
  ORDER BY 1, 2`

const PERSON = "current_setting('parley.user_id'::text, true)"

/** A condition that only rows of the person meet, or only the row of the person's bucket. */
const namesPerson = (condition: string | null): boolean =>
  condition !== null &&
  (condition.includes(`= ${PERSON}`) || condition.startsWith(`(bucket = ((get_byte(sha256(convert_to(${PERSON}`)) &&
  !/\bOR\b/.test(condition)

/** For each right, the conditions that have to name the person. */
const demandedBy = ({ check, privilege, using }: Right): ReadonlyArray<string | null> => {
  if (privilege === "INSERT") return [check]
  if (privilege === "UPDATE") return [using, check]
  return privilege === "SELECT" || privilege === "DELETE" ? [using] : [null]
}

/** Rights of the role of a person that some policy does not narrow to the person's rows. */
const openRights = Database.use(({ schema, statement }) =>
  Effect.map(statement<Right>(rightsText, [schema]), (rights) => {
    expect(rights.length).toBeGreaterThanOrEqual(50)
    return rights
      .filter((right) => !demandedBy(right).every(namesPerson))
      .map(({ privilege, table }) => `${privilege} on ${table}`)
  })
)

/** Functions with the rights of their owner that the role of a person may call. */
const openFunctions = Database.use(({ statement }) =>
  Effect.map(
    statement<{ name: string }>(
      `SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE p.prosecdef AND p.prorettype <> 'trigger'::regtype AND n.nspname NOT IN ('pg_catalog', 'information_schema')
         AND has_schema_privilege('parley_user', n.oid, 'USAGE') AND has_function_privilege('parley_user', p.oid, 'EXECUTE')`
    ),
    (functions) => functions.map(({ name }) => `calls of ${name}`)
  )
)

const open = Effect.map(Effect.all([openRights, openFunctions]), (found) => found.flat())

/** What is open after a script of the owner's, which is undone. */
const openAfter = (script: (schema: string) => string) =>
  Effect.gen(function* () {
    const { schema } = yield* Database
    const { asOwner } = yield* DatabaseOwner
    const planted = asOwner((sql) =>
      Effect.andThen(
        sql.script(script(schema)),
        Effect.flatMap(open, (found) => Effect.fail({ found }))
      )
    )
    return yield* Effect.catch(planted, (failure) =>
      "found" in failure ? Effect.succeed(failure.found) : Effect.fail(failure)
    )
  })

const mine = "user_id = current_setting('parley.user_id', true)"

/** What would let a person reach foreign rows. */
const plants: ReadonlyArray<readonly [script: (schema: string) => string, open: string]> = [
  [(schema) => `CREATE POLICY planted ON ${schema}.chats TO parley_user USING (true)`, "SELECT on chats"],
  [(schema) => `CREATE POLICY planted ON ${schema}.bots FOR DELETE TO PUBLIC USING (true)`, "DELETE on bots"],
  [
    (schema) => `CREATE POLICY planted ON ${schema}.bots FOR UPDATE TO parley_user USING (${mine}) WITH CHECK (true)`,
    "UPDATE on bots"
  ],
  [
    (schema) => `CREATE POLICY planted ON ${schema}.documents TO parley_user USING (${mine} OR status = 'ready')`,
    "SELECT on documents"
  ],
  [(schema) => `GRANT SELECT ON ${schema}.migrations TO PUBLIC`, "SELECT on migrations"],
  [
    (schema) =>
      `GRANT UPDATE (title) ON ${schema}.chats TO parley_user; DROP POLICY owner_continues ON ${schema}.chats`,
    "UPDATE on chats"
  ],
  [(schema) => `GRANT TRUNCATE ON ${schema}.chats TO parley_user`, "TRUNCATE on chats"],
  [
    (schema) =>
      `CREATE VIEW ${schema}.planted AS SELECT * FROM ${schema}.chats; GRANT SELECT ON ${schema}.planted TO parley_user`,
    "SELECT on planted"
  ],
  [(schema) => `GRANT EXECUTE ON FUNCTION ${schema}.erase_user(text, text) TO parley_user`, "calls of erase_user"]
]

const rights = (run: Run<Parts>) => {
  it("every right of the role of a person on a table is narrowed by policies that name the person, and no function passes them", () =>
    run(Effect.map(open, (found) => expect(found).toEqual([]))))

  it("a policy for everybody, a table without one, a view or a function with its owner's rights is found", () =>
    run(
      Effect.gen(function* () {
        for (const [script, name] of plants) expect(yield* openAfter(script), script("planted")).toContain(name)
      })
    ))
}

for (const { name, layer } of databases) suiteOn(`Rights of a person on ${name}`, layer, rights)
