import { createHash } from "node:crypto"
import { migrationFiles } from "./migrationFiles.ts"

/** One numbered file of SQL, run once per schema. `{{schema}}` in its text stands for the quoted schema name. */
export interface Migration {
  /** The file's name without its ending, for example `0001_roles`. */
  readonly id: string
  readonly text: string
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string
  /**
   * The oldest release that still runs on the schema after this migration, named by the number of that release's newest
   * migration. The migration's own number unless its text says otherwise.
   */
  readonly compatibleFrom: string
}

/** The number that a migration's id begins with: texts of four digits, which compare as numbers do. */
export const numberOf = (id: string): string => id.slice(0, 4)

/** A line of its own, at the beginning of a line. */
const COMPATIBLE_FROM = /^-- compatible from (\d{4})$/m

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/

/** A migration from its id and text. Line ends count as `\n`, so that a checkout's settings change no checksum. */
export const makeMigration = (id: string, rawText: string): Migration => {
  const text = rawText.replaceAll("\r\n", "\n")
  const compatibleFrom = COMPATIBLE_FROM.exec(text)?.[1] ?? numberOf(id)
  return { id, text, checksum: createHash("sha256").update(text).digest("hex"), compatibleFrom }
}

/** The migrations that ship with this package, in order. Throws if two share a number. */
export const loadMigrations = async (): Promise<ReadonlyArray<Migration>> => {
  const files = [...(await migrationFiles())].filter(([name]) => FILE_NAME.test(name))
  const names = files.map(([name]) => name)
  const numbers = new Set(names.map((name) => name.slice(0, 4)))
  if (numbers.size !== names.length) throw new Error(`Two migrations share a number: ${names.join(", ")}.`)
  return files.map(([name, text]) => makeMigration(name.slice(0, -".sql".length), text))
}
