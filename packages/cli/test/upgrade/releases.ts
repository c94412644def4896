import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import {
  loadMigrations,
  makeMigration,
  type Migration,
  numberOf
} from "../../../adapters-db/src/migrations/Migration.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const run = promisify(execFile)
const git = async (...argv: ReadonlyArray<string>) =>
  (await run("git", ["-C", root, ...argv], { maxBuffer: 2 ** 26 })).stdout

const MIGRATIONS = "packages/adapters-db/migrations"

/** No test looks further back. */
const COMMITS_AT_MOST = 300

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>
}

/** True if a program with this lock file runs with the installed packages: it needs no others. */
const runsWithModules = (lock: Lock, own: Lock): boolean =>
  Object.entries(lock.packages)
    .filter(([path, { dev }]) => path.startsWith("node_modules/") && dev !== true)
    .every(([path, { version }]) => own.packages[path]?.version === version)

const lockOf = async (commit: string): Promise<Lock> =>
  JSON.parse(await git("show", `${commit}:package-lock.json`)) as Lock

const migrationsOf = async (commit: string): Promise<ReadonlyArray<Migration>> => {
  const paths = (await git("ls-tree", "--name-only", commit, `${MIGRATIONS}/`)).trim().split("\n")
  return Promise.all(
    paths
      .filter((path) => path.endsWith(".sql"))
      .map(async (path) =>
        makeMigration(path.slice(MIGRATIONS.length + 1, -".sql".length), await git("show", `${commit}:${path}`))
      )
  )
}

const READER = "packages/adapters-db/src/migrations/Migration.ts"

/**
 * True if the program of a commit reads the statements of newer migrations: no program before it ran on a newer
 * schema.
 */
const readsStatement = async (commit: string): Promise<boolean> =>
  (await git("show", `${commit}:${READER}`)).includes("compatible from")

/**
 * True if these migrations are the beginning of `own`, whose rest declares that programs with only these still run.
 */
const runsOnSchema = (older: ReadonlyArray<Migration>, own: ReadonlyArray<Migration>): boolean => {
  const newest = numberOf(older.at(-1)?.id ?? "")
  return (
    older.every(({ checksum, id }, index) => own[index]?.id === id && own[index]?.checksum === checksum) &&
    own.slice(older.length).every(({ compatibleFrom }) => compatibleFrom <= newest)
  )
}

/** A file as it was in a commit. */
export const fileIn = (commit: string, path: string): Promise<string> => git("show", `${commit}:${path}`)

/**
 * The oldest commit from which on every program runs on this schema, according to the migrations, and with the
 * installed packages, and does what `isWanted` asks for. Undefined if not even the previous commit does, or if the
 * history is missing.
 */
export const oldestCompatible = async (
  isWanted: (commit: string) => Promise<boolean> = () => Promise.resolve(true)
): Promise<string | undefined> => {
  const commits = (await git("rev-list", "--first-parent", "--skip=1", `-n${COMMITS_AT_MOST}`, "HEAD")).split("\n")
  const own = { migrations: await loadMigrations(), lock: await lockOf("HEAD") }
  const judged = new Map<string, boolean>()
  let oldest: string | undefined
  for (const commit of commits.filter((each) => each !== "")) {
    const state = await git(
      "rev-parse",
      ...[MIGRATIONS, "package-lock.json", READER].map((path) => `${commit}:${path}`)
    )
    const runs =
      judged.get(state) ??
      ((await readsStatement(commit)) &&
        runsOnSchema(await migrationsOf(commit), own.migrations) &&
        runsWithModules(await lockOf(commit), own.lock))
    judged.set(state, runs)
    if (!runs || !(await isWanted(commit))) return oldest
    oldest = commit
  }
  return oldest
}

/** Links the installed modules into a tree of sources, its own packages among them, and the browser files. */
const furnish = (tree: string): string => {
  const modules = join(tree, "node_modules")
  mkdirSync(join(modules, "@parley"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules")).filter((each) => each !== "@parley"))
    symlinkSync(join(root, "node_modules", name), join(modules, name))
  for (const name of readdirSync(join(tree, "packages"))) {
    symlinkSync(join(tree, "packages", name), join(modules, "@parley", name))
    for (const made of ["node_modules", "dist-app"]) {
      const [here, there] = [join(root, "packages", name, made), join(tree, "packages", name, made)]
      if (existsSync(here)) symlinkSync(here, there)
    }
  }
  return join(tree, "packages/cli/src/main.ts")
}

/** The program of a commit; returns its main file. */
export const olderProgram = async (commit: string, tree: string): Promise<string> => {
  mkdirSync(tree)
  const archive = join(tree, "archive.tar")
  await git("archive", `--output=${archive}`, commit, "packages", "package.json")
  await run("tar", ["-xf", archive, "-C", tree])
  return furnish(tree)
}

/** This program with further migrations; returns its main file. */
export const newerProgram = (migrations: ReadonlyArray<Migration>, tree: string): string => {
  for (const name of readdirSync(join(root, "packages"))) {
    const from = join(root, "packages", name)
    for (const part of ["package.json", "src", "migrations", "bin"].filter((each) => existsSync(join(from, each))))
      cpSync(join(from, part), join(tree, "packages", name, part), { recursive: true })
  }
  cpSync(join(root, "package.json"), join(tree, "package.json"))
  for (const { id, text } of migrations) writeFileSync(join(tree, MIGRATIONS, `${id}.sql`), text)
  return furnish(tree)
}

/** Changes that a next release may make to the tables with the most writes, while older servers use them. */
export const expansion = async () => {
  const oldest = (await loadMigrations()).at(-1)?.compatibleFrom ?? ""
  const tables = [
    "credit_accounts",
    "credit_holds",
    "credit_transactions",
    "documents",
    "chats",
    "messages",
    "passages"
  ]
  const columns = tables.map((table) => `ALTER TABLE {{schema}}.${table} ADD COLUMN added_later text DEFAULT 'none';`)
  const text = [
    `-- compatible from ${oldest}`,
    ...columns,
    "CREATE INDEX documents_added_later ON {{schema}}.documents (added_later);",
    "CREATE TABLE {{schema}}.added_later (id text PRIMARY KEY);"
  ]
  return makeMigration("9001_added_later", `${text.join("\n")}\n`)
}
