import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { Schema } from "effect"

/** The packages of the engine, each with the only version that can read the databases of this release. */
export const ENGINE_VERSIONS = {
  "@electric-sql/pglite": "0.5.14",
  "@electric-sql/pglite-pgvector": "0.0.15"
} as const

const INSTALL = `npm install ${Object.entries(ENGINE_VERSIONS)
  .map((each) => each.join("@"))
  .join(" ")}`

/**
 * The configuration asks for an embedded database, but its engine is not installed, or in another version. The engine
 * is an optional package.
 */
export class PgliteMissing extends Schema.TaggedError<PgliteMissing>()("PgliteMissing", {
  /** The installed version that does not fit, such as `@electric-sql/pglite 0.5.16`; left out if none is installed. */
  installed: Schema.optionalKey(Schema.String),
  /** The required version. */
  needed: Schema.optionalKey(Schema.String)
}) {
  readonly code = "package_missing"
  override get message() {
    const needs =
      this.installed === undefined
        ? "The embedded database needs its engine."
        : `The embedded database needs ${this.needed}, and ${this.installed} is installed.`
    return `${needs} Run: ${INSTALL}; or name a Postgres server by its URL (DATABASE_URL).`
  }
}

/** Returns the installed version of a package as seen from this package; undefined if it is not installed. */
const installedVersion = (name: string): string | undefined => {
  try {
    const manifest = findPackageJSON(name, import.meta.url)
    return manifest && (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version
  } catch {
    return undefined
  }
}

/**
 * Throws `PgliteMissing` if the engine is not installed in the required version. Called before a thread is started.
 */
export const requirePglite = (versionOf: (name: string) => string | undefined = installedVersion): void => {
  for (const [name, needed] of Object.entries(ENGINE_VERSIONS)) {
    const version = versionOf(name)
    if (version === undefined) throw new PgliteMissing({})
    if (version !== needed) throw new PgliteMissing({ installed: `${name} ${version}`, needed: `${name} ${needed}` })
  }
}
