import { Schema } from "effect"

/** The command ran in another process and has printed everything; only its exit code remains. */
export class Exited extends Schema.TaggedError<Exited>()("Exited", { exit: Schema.Int }) {}

/** A signal ended the command. */
export class Interrupted extends Schema.TaggedError<Interrupted>()("Interrupted", {
  signal: Schema.Literals(["SIGINT", "SIGTERM"])
}) {
  override get message() {
    return `Stopped by ${this.signal}.`
  }
}

/** Arguments and flags that do not belong together. */
export class UsageMistake extends Schema.TaggedError<UsageMistake>()("UsageMistake", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** The server ended while it ran the command. */
export class CommandLost extends Schema.TaggedError<CommandLost>()("CommandLost", {}) {
  override get message() {
    return "The server ended while it ran this command. Check whether it was done before you try again."
  }
}

/** The embedded database does not exist yet. */
export class NoDatabaseYet extends Schema.TaggedError<NoDatabaseYet>()("NoDatabaseYet", { folder: Schema.String }) {
  override get message() {
    return `There is no database in ${this.folder} yet. Start the server ("parley serve"), or make it with "parley migrate".`
  }
}

/** The schema is older than the program. */
export class MigrationsPending extends Schema.TaggedError<MigrationsPending>()("MigrationsPending", {
  migrations: Schema.Array(Schema.String),
  /** The name of the cell, if there are several. */
  cell: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const database = this.cell === undefined ? "The database" : `The database of the cell ${this.cell}`
    return `${database} lacks ${this.migrations.length} migrations. Apply them with "parley migrate" ("--dry-run" lists them).`
  }
}

/** People are in several cells, and the configuration names none. */
export class CellsNotConfigured extends Schema.TaggedError<CellsNotConfigured>()("CellsNotConfigured", {
  cells: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The directory in the database of DATABASE_URL has people in ${this.cells.length > 1 ? "several cells" : "another database, a cell"} (${this.cells.join(", ")}), and PARLEY_CELLS is not set. Set it to their connection strings, as in the other processes.`
  }
}

/** Another process listens on the port. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  host: Schema.String,
  port: Schema.Int,
  /** The system's word for it: `EADDRINUSE`, `EACCES`, ... */
  problem: Schema.String
}) {
  get detail() {
    return this.problem === "EADDRINUSE"
      ? `Port ${this.port} on ${this.host} is taken by another process`
      : `The server cannot listen on port ${this.port} of ${this.host} (${this.problem})`
  }
  get advice() {
    return this.problem === "EADDRINUSE"
      ? "Stop it, or set PORT to another port (0 takes any free one)."
      : "Set PORT and HOST to a port and an address that this machine allows."
  }
  override get message() {
    return `${this.detail}. ${this.advice}`
  }
}

/** The server cannot listen on the socket that systemd passes. */
export class PassedSocketUnusable extends Schema.TaggedError<PassedSocketUnusable>()("PassedSocketUnusable", {}) {
  override get message() {
    return "The socket that systemd passes is not a listening TCP socket. Set ListenStream= of the socket's unit to an address with a port, such as 127.0.0.1:3001, and keep Accept=no."
  }
}

/** `doctor` found problems that require this exit code. */
export class Unhealthy extends Schema.TaggedError<Unhealthy>()("Unhealthy", { exit: Schema.Int }) {}

/** A file for the command's data could not be written. */
export class FileNotWritten extends Schema.TaggedError<FileNotWritten>()("FileNotWritten", {
  path: Schema.String,
  /** The system's word for it: `EACCES`, `ENOSPC`, ... */
  problem: Schema.String
}) {
  override get message() {
    return `${this.path} could not be written (${this.problem}); what was written of it was removed. Choose another place, or make room there.`
  }
}

/** The file of `parley archive` could not be written further. */
export class ArchiveNotWritten extends Schema.TaggedError<ArchiveNotWritten>()("ArchiveNotWritten", {
  path: Schema.String,
  /** The system's word for it: `EACCES`, `EEXIST`, `ENOSPC`, ... */
  problem: Schema.String
}) {
  override get message() {
    return this.problem === "EEXIST"
      ? `${this.path} exists already, and an archive replaces no file. Choose another name.`
      : `${this.path} could not be written (${this.problem}). What is not in it yet is still in the database. Make room there, keep this file, and archive the rest to another one.`
  }
}

/** A file that a command was given could not be read. */
export class FileNotRead extends Schema.TaggedError<FileNotRead>()("FileNotRead", {
  path: Schema.String,
  /** The system's word for it: `ENOENT`, `EACCES`, ... */
  problem: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be read (${this.problem}). Check the path, and that the file may be read.`
  }
}

/** Lines of an import that were not imported; the report has printed them. */
export class LinesRefused extends Schema.TaggedError<LinesRefused>()("LinesRefused", { refused: Schema.Int }) {
  override get message() {
    return `${this.refused} lines were refused. The others are imported: correct these lines, and import the file again.`
  }
}
