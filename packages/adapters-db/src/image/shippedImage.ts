import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { loadMigrations, type Migration } from "../migrations/Migration.ts"

/** The schema that the shipped image holds, with its job queue beside it. */
export const IMAGE_SCHEMA = "parley"

/** The packages whose versions decide the files of a database, beside the migrations. */
const MAKERS = ["@electric-sql/pglite", "@electric-sql/pglite-pgvector", "pg-boss"]

/** One package of `MAKERS` as it is installed. */
interface Maker {
  readonly name: string
  readonly version: string
}

const installed = (name: string): Maker => {
  const manifest = readFileSync(new URL("../package.json", import.meta.resolve(name)), "utf8")
  return { name, version: (JSON.parse(manifest) as { readonly version: string }).version }
}

/** A name for the image made from the exact versions of the makers and the texts of all migrations. */
export const fingerprint = (
  makers: ReadonlyArray<Maker>,
  migrations: ReadonlyArray<Pick<Migration, "id" | "checksum">>
): string => {
  const lines = [
    ...makers.map(({ name, version }) => `${name} ${version}`),
    ...migrations.map(({ id, checksum }) => `${id} ${checksum}`)
  ]
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 32)
}

/** Beside `src` and, after a build, beside `dist`. */
export const IMAGE_FOLDER = fileURLToPath(new URL("../../prepared/", import.meta.url))

/**
 * The file of the image for this engine and these migrations: an empty embedded database with the schema in it. It
 * may be absent; one made of anything else has another name.
 */
export const shippedImageFile = async (): Promise<string> =>
  `${IMAGE_FOLDER}${fingerprint(MAKERS.map(installed), await loadMigrations())}.zst`
