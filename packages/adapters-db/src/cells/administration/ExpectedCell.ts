import type { Row } from "../../database/Database.ts"
import { quoteIdentifier } from "../../database/quoting.ts"
import type { AskOnce } from "../../database/server/ConnectionCheck.ts"
import { CellRefused } from "./cellErrors.ts"

/** The identity of a cell's database: its own id, the id of the directory that it belongs to, and the name of the cell. */
export interface CellIdentity {
  readonly id: string
  readonly directory: string
  readonly name: string
}

/** An identity as the database has it, with the highest version of the directory that it has seen. */
export interface FoundIdentity extends CellIdentity, Row {
  readonly seen: number
  /** The cell of which the database was a copy before a split; null for one that never was. */
  readonly copyOf: string | null
  /** False for a copy of a split that has not ended, as far as the database knows. */
  readonly isTaken: boolean
}

/** Reads the identity; the quoted schema has no row before it became a cell, and no table before its migration. */
export const identitySql = (schema: string): string =>
  // Older schemas lack some of the columns.
  `SELECT id, directory, name, seen, to_jsonb(t) ->> 'copy_of' AS "copyOf",
     coalesce((to_jsonb(t) ->> 'taken')::boolean, true) AS "isTaken" FROM ${schema}.this_cell t`

/** SQLSTATEs of a missing table and a missing schema: `undefined_table`, `invalid_schema_name`. */
export const NO_TABLE = ["42P01", "3F000"]

/** The reason why a database is not the expected one of a cell. */
export const differenceFrom = (
  cell: string,
  { directory, id, name }: CellIdentity,
  found: CellIdentity | undefined
): CellRefused | undefined => {
  if (found === undefined) return new CellRefused({ problem: "no-name", cell, names: [] })
  if (found.directory !== directory) return new CellRefused({ problem: "other-directory", cell, names: [] })
  if (found.name !== name) return new CellRefused({ problem: "other-cell", cell, names: [found.name] })
  return found.id === id ? undefined : new CellRefused({ problem: "other-database", cell, names: [] })
}

/**
 * The reason why a database with a name cannot be the cell, if the directory has no database of the cell: it is another cell,
 * or a copy that a split has made and the directory has not taken.
 */
export const otherCell = (
  cell: string,
  directory: string | undefined,
  found: FoundIdentity
): CellRefused | undefined => {
  const difference = differenceFrom(cell, { id: found.id, directory: directory ?? found.directory, name: cell }, found)
  if (difference !== undefined || found.isTaken) return difference
  return new CellRefused({ problem: "copy", cell, names: [found.copyOf ?? ""] })
}

/**
 * The identity that a process expects behind the connection string of a cell. Every connection is checked, because another
 * database may be behind the same address at any time, for example one that is being restored. As long as the identity is
 * not known, a database that has the name of another cell is refused: it may be a copy of that cell.
 */
export class ExpectedCell {
  readonly #sql: string
  readonly #cell: string
  readonly #isGlobal: boolean
  #expected: CellIdentity | undefined
  #directory: string | undefined
  #source: CellIdentity | undefined

  /** `isGlobal`: the cell is also the global database, whose names are compared when its schema is up to date. */
  constructor(schema: string, cell: string, { isGlobal = false }: { readonly isGlobal?: boolean } = {}) {
    this.#sql = identitySql(quoteIdentifier(schema))
    this.#cell = cell
    this.#isGlobal = isGlobal
  }

  /** From now on, only connections to this database are used. */
  expect(identity: CellIdentity): void {
    this.#expected = identity
    this.#source = undefined
  }

  /** From now on, only connections to a copy of this database are used, also after it got the name of this cell. */
  expectCopyOf(source: CellIdentity): void {
    this.#source = source
  }

  /** The directory to which the database has to belong if it has a name. */
  expectDirectory(directory: string): void {
    this.#directory = directory
  }

  /** A `ConnectionCheck`. Rejects with `CellRefused`, or as the statement does. */
  readonly check = async (ask: AskOnce): Promise<boolean> => {
    if (this.#expected === undefined && this.#isGlobal) return false
    const [found] = (await ask(this.#sql).catch((error: { readonly code?: unknown }) => {
      if (NO_TABLE.includes(String(error.code))) return []
      throw error
    })) as ReadonlyArray<FoundIdentity>
    const refused = this.#refusalOf(found)
    if (refused !== undefined) throw refused
    return this.#expected !== undefined
  }

  #refusalOf(found: FoundIdentity | undefined): CellRefused | undefined {
    const [cell, expected, source] = [this.#cell, this.#expected, this.#source]
    if (source !== undefined && found?.copyOf === source.name && found.name === cell) return undefined
    if (source !== undefined) return differenceFrom(cell, source, found)
    if (expected !== undefined) return differenceFrom(cell, expected, found)
    return found && otherCell(cell, this.#directory, found)
  }
}
