import { Effect } from "effect"
import pg from "pg"
import { before } from "../pooler.ts"
import { migratedPostgres } from "../databases.ts"
import { leftIn, type Removal, rewrite } from "./statementsWithout.ts"

interface FoundFunction {
  readonly name: string
  readonly definition: string
  /** The role of a person has a right of its own to execute it. */
  readonly granted: boolean
}

const FUNCTIONS = `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition,
    EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 'parley_user'::regrole) AS granted
  FROM pg_proc p WHERE p.pronamespace = 'parley'::regnamespace AND p.prokind = 'f'`

const DEFINITION_LEFT = /^CREATE OR REPLACE FUNCTION [\s\S]*?\n(?=AS |RETURN |BEGIN ATOMIC)/

const withClient = async <A>(url: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Removes the conditions on the owner from the functions of a migrated database. */
const removeFromFunctions = (url: string, removal: Removal): Promise<void> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<FoundFunction>(FUNCTIONS)
    for (const { definition, granted, name } of rows) {
      const body = definition.replace(DEFINITION_LEFT, "")
      if (granted && leftIn(body) !== undefined) removal.missed.add(`${name}: ${leftIn(body)}`)
      const without = rewrite(body)
      if (without === body) continue
      await client.query(definition.slice(0, definition.length - body.length) + without)
      removal.functions.add(name)
    }
  })

/** The url of a pooler before a migrated database whose functions have no conditions on the owner, and its own url. */
export const withoutConditions = (removal: Removal) =>
  Effect.gen(function* () {
    const direct = yield* migratedPostgres
    yield* Effect.promise(() => removeFromFunctions(direct, removal))
    return { direct, url: yield* before(Effect.succeed(direct)) }
  })
