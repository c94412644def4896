import { mkdirSync } from "node:fs"
import { IMAGE_SCHEMA } from "../../image/shippedImage.ts"
import { requirePglite } from "./PgliteMissing.ts"
import { PgliteThread } from "./PgliteThread.ts"

export type { PgliteThread } from "./PgliteThread.ts"

export interface OpenEngineOptions {
  /**
   * The folder of the database, which is created if it is missing; the caller must hold its lock. If undefined, the
   * database is in memory.
   */
  readonly dataDir?: string | undefined
  /** The schema that contains all tables; `parley` by default. */
  readonly schema?: string | undefined
}

/**
 * Begins to open an embedded database in a thread of its own; requests wait until it is open. A new folder begins as a
 * copy of the image that ships with this package, if the image has the requested schema. Throws `PgliteMissing` if the
 * engine is not installed.
 */
export const openEngine = ({ dataDir, schema = IMAGE_SCHEMA }: OpenEngineOptions): PgliteThread => {
  requirePglite()
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return new PgliteThread({ dataDir, fromImage: schema === IMAGE_SCHEMA })
}
