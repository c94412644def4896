/** A migration that must not change, because a database may have applied it. */
export interface FrozenMigration {
  readonly id: string
  /** The SHA-256 checksum of the migration's text, hexadecimal. */
  readonly checksum: string
}

/** Parses a list with the lines `<checksum>  <id>`. */
export const parseFrozen = (text: string): ReadonlyArray<FrozenMigration> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [checksum = "", id = ""] = line.split(/\s+/)
      return { id, checksum }
    })

export const printFrozen = (migrations: ReadonlyArray<FrozenMigration>): string =>
  migrations.map(({ checksum, id }) => `${checksum}  ${id}\n`).join("")

/** Lists the frozen migrations that were changed or removed, each with a sentence. */
export const brokenPromises = (
  frozen: ReadonlyArray<FrozenMigration>,
  present: ReadonlyArray<FrozenMigration>
): ReadonlyArray<string> => {
  const checksums = new Map(present.map(({ checksum, id }) => [id, checksum]))
  return frozen.flatMap(({ checksum, id }) => {
    const now = checksums.get(id)
    if (now === undefined) return [`${id} was removed. Restore it: schemas have applied it.`]
    return now === checksum ? [] : [`${id} was changed. Restore it, and write the change as a new migration.`]
  })
}

/** Lists the migrations that are not numbered 0001, 0002 and so on, each with a sentence. */
export const numberingProblems = (present: ReadonlyArray<FrozenMigration>): ReadonlyArray<string> =>
  present.flatMap(({ id }, place) => {
    const due = String(place + 1).padStart(4, "0")
    return id.startsWith(`${due}_`) ? [] : [`${id} has to be numbered ${due}.`]
  })
