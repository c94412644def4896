/**
 * Writes the text of the migrations into the built package, in the place of the module that reads them from a folder: a
 * bundler includes imported modules, but not a folder that the program reads at run time.
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
