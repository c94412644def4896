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
}

/** Reads the identity; the quoted schema has no row before it became a cell, and no table before its migration. */
export const identitySql = (schema: string): string => `SELECT id, directory, name, seen FROM ${schema}.this_cell`

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

/** Fails a check of a database that has a name, and it is not that of the cell. */
const otherCell = (cell: string, directory: string | undefined, found: CellIdentity): CellRefused | undefined =>
  differenceFrom(cell, { id: found.id, directory: directory ?? found.directory, name: cell }, found)

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

  /** `isGlobal`: the cell is also the global database, whose names are compared when its schema is up to date. */
  constructor(schema: string, cell: string, { isGlobal = false }: { readonly isGlobal?: boolean } = {}) {
    this.#sql = identitySql(quoteIdentifier(schema))
    this.#cell = cell
    this.#isGlobal = isGlobal
  }

  /** From now on, only connections to this database are used. */
  expect(identity: CellIdentity): void {
    this.#expected = identity
  }

  /** From now on, only connections to a copy of this database are used, which has another name than this cell. */
  expectCopyOf(identity: CellIdentity): void {
    this.#expected = identity
  }

  /** The directory to which the database has to belong if it has a name. */
  expectDirectory(directory: string): void {
    this.#directory = directory
  }

  /** A `ConnectionCheck`. Rejects with `CellRefused`, or as the statement does. */
  readonly check = async (ask: AskOnce): Promise<boolean> => {
    const expected = this.#expected
    if (expected === undefined && this.#isGlobal) return false
    const [found] = (await ask(this.#sql).catch((error: { readonly code?: unknown }) => {
      if (NO_TABLE.includes(String(error.code))) return []
      throw error
    })) as ReadonlyArray<FoundIdentity>
    const refused =
      expected !== undefined
        ? differenceFrom(this.#cell, expected, found)
        : found && otherCell(this.#cell, this.#directory, found)
    if (refused !== undefined) throw refused
    return expected !== undefined
  }
}
