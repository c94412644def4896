import { Schema } from "effect"

/** The version of the form of copies. A program reads only copies of its own version. */
export const COPY_FORMAT = 1

/** The number of a table's rows, and a digest of the rows that does not depend on their order. */
const TableDigest = Schema.Struct({ rows: Schema.Int, digest: Schema.String })
export type TableDigest = typeof TableDigest.Type

/**
 * One part of a copy of a database, in this order: one `begin`, any number of `rows`, one `end`. Tables and sequences are
 * named without the schema; those of the job queue begin with `boss.`. Rows are texts of Postgres' composite values
 * (PostgreSQL 17, 8.16.6), which lose nothing of any column.
 */
export const CopyPart = Schema.Union([
  Schema.TaggedStruct("begin", {
    format: Schema.Int,
    /** The applied migrations, in order. */
    migrations: Schema.Array(Schema.String),
    /** The version of the job queue's own tables; null if there is no queue. */
    queueVersion: Schema.NullOr(Schema.Int)
  }),
  Schema.TaggedStruct("rows", { table: Schema.String, rows: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("end", {
    tables: Schema.Record(Schema.String, TableDigest),
    /** The last value of each sequence; null if the sequence was never used. */
    sequences: Schema.Record(Schema.String, Schema.NullOr(Schema.String))
  })
])
export type CopyPart = typeof CopyPart.Type

/** The copy cannot be loaded; nothing was written to the target. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", {
  problem: Schema.Literals([
    "target-not-empty",
    "target-in-use",
    "other-format",
    "newer-schema",
    "other-queue",
    "incomplete",
    "differs"
  ]),
  /** The names of the tables or migrations that are the reason. */
  names: Schema.Array(Schema.String)
}) {
  readonly code = "copy_refused"
  override get message() {
    const names = this.names.join(", ")
    switch (this.problem) {
      case "target-not-empty":
        return `The target contains data (${names}). Name an empty database, or another schema in PARLEY_DB_SCHEMA.`
      case "target-in-use":
        return "A server or a worker runs on the target. Stop it, or wait half a minute if it has crashed."
      case "other-format":
        return "The file is not a backup of Parley, or was written in a form that this version does not read."
      case "newer-schema":
        return `The data has migrations that this program does not know: ${names}. Use the newer program.`
      case "other-queue":
        return "The job queue of the data has another version. Use the program of the version that wrote it."
      case "incomplete":
        return "The copy ends too early or is damaged. Nothing was restored; use another backup."
      case "differs":
        return `The copied rows differ from the original in ${names}. Nothing was restored; use another backup.`
    }
  }
}
