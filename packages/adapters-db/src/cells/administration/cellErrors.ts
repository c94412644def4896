import { Schema } from "effect"

const PROBLEMS = ["people-in-global", "same-database", "not-configured", "not-migrated"] as const

/** A change of the directory would lose track of people, or of their database. Nothing was changed. */
export class CellRefused extends Schema.TaggedError<CellRefused>()("CellRefused", {
  problem: Schema.Literals(PROBLEMS),
  cell: Schema.String,
  /** The other cell, the missing migrations, or the configured cells. */
  names: Schema.Array(Schema.String)
}) {
  readonly code = "cell_refused"
  override get message() {
    const names = this.names.join(", ")
    switch (this.problem) {
      case "people-in-global":
        return "The global database has accounts of people, so it has to be a cell: give it a name among the cells, with the same connection string."
      case "same-database":
        return `The cells ${this.cell} and ${names} are one database. Give each cell a database of its own.`
      case "not-configured":
        return `No cell named "${this.cell}" is configured: add it to PARLEY_CELLS with its connection string, in each process. Configured: ${names}.`
      case "not-migrated":
        return `The cell ${this.cell} lacks migrations (${names}). Apply them with "parley migrate".`
    }
  }
}
