import { Schema } from "effect"

/** Another live process owns the data folder. Only one process at a time can open the embedded database. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  folder: Schema.String,
  /** The owner, for example "process 7". */
  owner: Schema.String
}) {
  readonly code = "data_folder_in_use"
  override get message() {
    return `The data folder ${this.folder} is in use by ${this.owner}. Stop it, or set PARLEY_DATA_DIR to another folder.`
  }
}

/** The data folder cannot be created or written. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()("DataFolderUnusable", {
  folder: Schema.String,
  /** The system's error code, for example `EACCES`. */
  problem: Schema.String
}) {
  readonly code = "data_folder_unusable"
  override get message() {
    return `The data folder ${this.folder} cannot be used (${this.problem}). Make it writable, or set PARLEY_DATA_DIR to another folder.`
  }
}
