import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const { resolve } = createRequire(new URL("../../packages/adapters-db/package.json", import.meta.url))
const worker = globalThis as { embeddedEngine?: WebAssembly.Module }

/**
 * Keeps the embedded database's compiled code for all databases that a worker opens: threads share the code of the same
 * module while one of them has it, so that otherwise each database would compile it again. This halves the work of
 * opening one.
 */
worker.embeddedEngine ??= await WebAssembly.compile(
  readFileSync(join(dirname(resolve("@electric-sql/pglite")), "pglite.wasm"))
)
