import pg from "pg"

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
export const rewrite = (text: string): string => text.replace(CONDITION, (condition) => `${WITHOUT}${condition})`)

/** A condition on the owner that stayed in a text. */
export const leftIn = (text: string): string | undefined => OTHER_CONDITION.exec(text.replace(CONDITION, ""))?.[0]

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

/** A transaction leaves its role with its end. */
const TRANSACTION_END = /^(?:COMMIT|ROLLBACK$)/
const ENTERED_ROLE = /set_config\('role', '(\w+)'/

/** Receives the result of each statement that was sent as the role of a person. */
type OnRows = (text: string, rows: ReadonlyArray<unknown>) => void

/** Removes the conditions on the owner from the statements of a client. */
export const removeFromClient = (client: pg.Client, removal: Removal, onRows: OnRows = () => undefined): void => {
  const send = client.query.bind(client) as (config: pg.QueryConfig) => Promise<pg.QueryResult>
  let role: string | undefined
  const sendWithout = async (config: pg.QueryConfig) => {
    const entered = ENTERED_ROLE.exec(config.text)
    if (entered !== null) role = entered[1]
    else if (TRANSACTION_END.test(config.text)) role = undefined
    const text = rewrite(config.text)
    if (role !== "parley_user" || entered !== null) return send({ ...config, text })
    if (text !== config.text) removal.statements.add(config.text)
    if (leftIn(config.text) !== undefined) removal.missed.add(config.text)
    const result = await send({ ...config, text })
    // Several statements in one text have a result each.
    onRows(
      config.text,
      [result].flat().flatMap(({ rows }) => rows)
    )
    return result
  }
  Object.assign(client, { query: sendWithout })
}

/** Connections to a database, whose statements lose their conditions on the owner. The caller ends it. */
export const poolWithoutConditions = (url: string, removal: Removal): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on("error", () => undefined)
  pool.on("connect", (client) => removeFromClient(client, removal))
  return pool
}
