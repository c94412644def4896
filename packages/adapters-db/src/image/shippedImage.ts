import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { loadMigrations, type Migration } from "../migrations/Migration.ts"

/** The name of the schema in the shipped image; the schema of the job queue has the suffix `_boss`. */
export const IMAGE_SCHEMA = "parley"

/** The packages whose versions, besides the migrations, determine the files of a database. */
const MAKERS = ["@electric-sql/pglite", "@electric-sql/pglite-pgvector", "pg-boss"]

/** An installed package of `MAKERS`. */
interface Maker {
  readonly name: string
  readonly version: string
}

const installed = (name: string): Maker => {
  const manifest = readFileSync(new URL("../package.json", import.meta.resolve(name)), "utf8")
  return { name, version: (JSON.parse(manifest) as { readonly version: string }).version }
}

/**
 * Returns the name of the image that is made from the exact versions of the packages and the texts of all migrations.
 */
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

/** The folder of the images, next to `src`; after a build it is next to `dist`. */
export const IMAGE_FOLDER = fileURLToPath(new URL("../../prepared/", import.meta.url))

/**
 * Returns the path of the image for the installed engine and these migrations: an empty embedded database that contains
 * the schema. The file may be missing. Images of other engines or migrations have other names.
 */
export const shippedImageFile = async (): Promise<string> =>
  `${IMAGE_FOLDER}${fingerprint(MAKERS.map(installed), await loadMigrations())}.zst`
