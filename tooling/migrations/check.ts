/**
 * Checks that no applied migration changes: `npm run check:migrations`. `frozen.txt` lists the checksum of each
 * migration; `--write` adds new ones. If migrations were added to an existing list, the program of the commit before
 * fills a schema, the present program upgrades it, and both have to answer requests; this needs TEST_DATABASE_URL.
 * `--from <commit>` upgrades from that commit.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { loadMigrations } from "@parley/adapters-db"
import {
  brokenPromises,
  type FrozenMigration,
  numberingProblems,
  parseFrozen,
  printFrozen
} from "./frozenMigrations.ts"
import { olderProgram } from "./olderProgram.ts"
import { upgradeDrill } from "./upgradeDrill.ts"

const root = join(import.meta.dirname, "../..")
const LIST = "tooling/migrations/frozen.txt"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/** The list of frozen migrations in a commit; undefined if the commit has none. */
const listOf = (commit: string): ReadonlyArray<FrozenMigration> | undefined => {
  try {
    const list = parseFrozen(git("show", `${commit}:${LIST}`))
    return list.length === 0 ? undefined : list
  } catch {
    return undefined
  }
}

/** The commit before the newest change of the list; HEAD if the newest change is not committed yet. */
const commitBefore = (): string | undefined => {
  if (git("status", "--porcelain", "--", LIST) !== "") return "HEAD"
  const changed = git("log", "-1", "--format=%H", "--", LIST)
  return changed === "" ? undefined : `${changed}~1`
}

const { values } = parseArgs({ options: { write: { type: "boolean" }, from: { type: "string" } } })
const present = (await loadMigrations()).map(({ checksum, id }) => ({ id, checksum }))
const frozen = parseFrozen(readFileSync(join(root, LIST), "utf8"))
const before = commitBefore()
const older = before === undefined ? undefined : listOf(before)
const isFrozen = frozen.length > 0
const added = present.filter(({ id }) => !frozen.some((one) => one.id === id))
const problems = [
  ...brokenPromises(frozen, present),
  ...brokenPromises(older ?? [], frozen).map((problem) => `${LIST}: ${problem}`),
  ...numberingProblems(present),
  ...(values.write === true || !isFrozen
    ? []
    : added.map(({ id }) => `${id} is not listed. Run: npm run check:migrations -- --write`))
]
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exit(1)
}
if (values.write === true) writeFileSync(join(root, LIST), printFrozen(present))

const url = process.env["TEST_DATABASE_URL"] ?? ""
const from = values.from ?? (older === undefined || older.length === present.length ? undefined : before)
if (from === undefined)
  process.stdout.write(`${present.length} migrations${isFrozen ? " are as they were" : ", none of them frozen yet"}.\n`)
else if (url === "") process.stdout.write(`TEST_DATABASE_URL is not set: the upgrade from ${from} was not tried.\n`)
else {
  using program = olderProgram(root, from)
  await upgradeDrill(url, program)
  process.stdout.write(`An upgrade from ${from} works, and the older server answers.\n`)
}
