import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"

/** One numbered file of SQL, run once per schema. `{{schema}}` in its text stands for the quoted schema name. */
export interface Migration {
  /** The file's name without its ending, for example `0001_roles`. */
  readonly id: string
  readonly text: string
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/

const folder = new URL("../../migrations/", import.meta.url)

/** A migration from its id and text. Line ends count as `\n`, so that a checkout's settings change no checksum. */
export const makeMigration = (id: string, rawText: string): Migration => {
  const text = rawText.replaceAll("\r\n", "\n")
  return { id, text, checksum: createHash("sha256").update(text).digest("hex") }
}

/** The migrations that ship with this package, in order. Throws where two share a number. */
export const loadMigrations = async (): Promise<ReadonlyArray<Migration>> => {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).toSorted()
  const numbers = new Set(names.map((name) => name.slice(0, 4)))
  if (numbers.size !== names.length) throw new Error(`Two migrations share a number: ${names.join(", ")}.`)
  return Promise.all(
    names.map(async (name) =>
      makeMigration(name.slice(0, -".sql".length), await readFile(new URL(name, folder), "utf8"))
    )
  )
}
