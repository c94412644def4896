/**
 * Puts the text of the migrations into the built package, in place of the module that reads them from its folder: a
 * bundler follows imports, and knows nothing of a folder that is read when the program runs.
 *
 * Runs in the folder of `packages/adapters-db`, after `tsc`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"

const files = readdirSync("migrations")
  .filter((name) => name.endsWith(".sql"))
  .toSorted()
  .map((name) => [name, readFileSync(`migrations/${name}`, "utf8")])

writeFileSync(
  "dist/migrations/migrationFiles.js",
  `const files = new Map(${JSON.stringify(files, undefined, 1)});\nexport const migrationFiles = async () => files;\n`
)
