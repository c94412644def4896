import { Effect } from "effect"
import pg from "pg"
import { before } from "../pooler.ts"
import { migratedPostgres } from "../databases.ts"

/**
 * A comparison of a row's owner: with a parameter, a variable of a function, a literal that "format" fills in, or the
 * owner of another row.
 */
const CONDITION =
  /(?<!\bSET )(?<column>\b(?:\w+\.)?(?:user_id|owner)) = (?<owner>\$\d+(?:::text)?|%L|(?:\w+\.)?(?:user_id|of_user|owner|person)\b)/g

/** Quoted so that it may stand inside a quoted text. */
const WITHOUT = "(current_user = $p$parley_user$p$ OR "

/** A condition on the owner perhaps, in a form that the pattern above does not know. */
const OTHER_CONDITION = /\b(?<!SET )(?:user_id|owner)\s*(?:=|<>|!=|<|>|\bIN\b|\bIS NOT DISTINCT\b)/i

/** A text of SQL with every condition on the owner made true for the role of a person. */
const rewrite = (text: string): string => text.replace(CONDITION, (condition) => `${WITHOUT}${condition})`)

/** A condition on the owner that stayed in a text. */
const leftIn = (text: string): string | undefined => OTHER_CONDITION.exec(text.replace(CONDITION, ""))?.[0]

/** The rewritten texts. */
export interface Removal {
  /** The texts sent as the role of a person that had conditions on the owner. */
  readonly statements: Set<string>
  /** Texts of that role with a condition that could not be removed. */
  readonly missed: Set<string>
  /** The functions that had conditions on the owner. */
  readonly functions: Set<string>
}

export const newRemoval = (): Removal => ({ statements: new Set(), missed: new Set(), functions: new Set() })

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

const ENTERED_ROLE = /set_config\('role', '(\w+)'/

/** Connections to a database, whose statements lose their conditions on the owner. The caller ends it. */
export const poolWithoutConditions = (url: string, removal: Removal): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    const send = client.query.bind(client) as (config: pg.QueryConfig) => Promise<pg.QueryResult>
    let role: string | undefined
    const sendWithout = (config: pg.QueryConfig) => {
      const entered = ENTERED_ROLE.exec(config.text)
      if (entered !== null) role = entered[1]
      const text = rewrite(config.text)
      if (role === "parley_user" && entered === null) {
        if (text !== config.text) removal.statements.add(config.text)
        if (leftIn(config.text) !== undefined) removal.missed.add(config.text)
      }
      return send({ ...config, text })
    }
    Object.assign(client, { query: sendWithout })
  })
  return pool
}
