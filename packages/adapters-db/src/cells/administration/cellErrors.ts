import { Schema } from "effect"

const PROBLEMS = [
  "people-in-global",
  "not-configured",
  "not-migrated",
  "left-out",
  "alone",
  "no-name",
  "other-cell",
  "other-database",
  "copy",
  "other-directory",
  "older-directory"
] as const

/**
 * The databases and the directory do not belong together, or a change would lose track of people: some would get second
 * accounts. Nothing was changed.
 */
export class CellRefused extends Schema.TaggedError<CellRefused>()("CellRefused", {
  problem: Schema.Literals(PROBLEMS),
  cell: Schema.String,
  /** The other cell, the missing migrations, or the configured cells, if the problem has any. */
  names: Schema.Array(Schema.String)
}) {
  readonly code = "cell_refused"
  override get message() {
    const names = this.names.join(", ")
    switch (this.problem) {
      case "people-in-global":
        return "The global database has accounts of people, so it has to be a cell: give it a name among the cells, with the same connection string."
      case "left-out":
        return `People are in the cell ${this.cell}, which PARLEY_CELLS does not name. Add it in each process. Configured: ${names}.`
      case "alone":
        return `DATABASE_URL names the database of the cell ${this.cell}, which has some of the people only. Set it to the global database, and PARLEY_CELLS as in the other processes.`
      case "no-name":
        return `The database of the cell ${this.cell} is not the one that had this name before: it has no name. Correct its connection string, or restore a backup of the cell into it.`
      case "other-cell":
        return `The connection string of the cell ${this.cell} names the database of the cell ${names}. Correct PARLEY_CELLS: each cell has a database of its own.`
      case "other-database":
        return `The database of the cell ${this.cell} is not the one that the directory knows under this name. Correct its connection string.`
      case "copy":
        return `The database of the cell ${this.cell} is a copy of the cell ${names}, made by a split that was cancelled: the people in it live in ${names}. Make a new database or a new replica.`
      case "other-directory":
        return `The database of the cell ${this.cell} is a cell of another directory. Correct its connection string, or DATABASE_URL.`
      case "older-directory":
        return `The directory in the global database is older than the cell ${this.cell}: it was restored from a backup, or lost its last changes. Compare them with "parley cells verify", then run it with --repair.`
      case "not-configured":
        return `No cell named "${this.cell}" is configured: add it to PARLEY_CELLS with its connection string, in each process. Configured: ${names}.`
      case "not-migrated":
        return `The cell ${this.cell} lacks migrations (${names}). Apply them with "parley migrate".`
    }
  }
}
