import { findPackageJSON } from "node:module"
import { Schema } from "effect"

const PACKAGES = ["@electric-sql/pglite", "@electric-sql/pglite-pgvector"]

/** An embedded database was asked for, and its engine is not installed: it is for those who use it. */
export class PgliteMissing extends Schema.TaggedError<PgliteMissing>()("PgliteMissing", {}) {
  readonly code = "package_missing"
  override get message() {
    return `The embedded database needs its engine. Run: npm install ${PACKAGES.join(" ")}; or name a Postgres server by its URL (DATABASE_URL).`
  }
}

const isInstalled = (name: string): boolean => {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch {
    return false
  }
}

/** Throws `PgliteMissing` where the engine is not installed, before a thread is started in vain. */
export const requirePglite = (): void => {
  if (!PACKAGES.every(isInstalled)) throw new PgliteMissing({})
}
