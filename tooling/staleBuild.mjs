/**
 * Builds the browser files if there is no build, or if their sources have changed. Needs no network. An install
 * without development parts lacks the bundler; then the earlier build stays, and a message reports it.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const vite = fileURLToPath(new URL("../node_modules/vite/bin/vite.js", import.meta.url))
const WAIT_MS = 100
const WAITS = 600

/** The files that a path stands for: itself, or everything in a folder. */
const filesOf = (path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))

const hashOf = (folder, sources) => {
  const hash = createHash("sha256")
  const files = sources.flatMap(filesOf)
  for (const path of files.toSorted((one, other) => (one < other ? -1 : 1)))
    hash.update(path.slice(folder.length)).update("\0").update(readFileSync(path))
  return hash.digest("hex")
}

/**
 * Parameters: the name in messages, the package's folder, the files and folders that the build reads, and the modes in
 * which its Vite configuration is built, one after another, into `dist-app`.
 */
export const buildWhereStale = async ({ name, folder, sources, modes = ["production"] }) => {
  const stamp = join(folder, "dist-app/.sources")
  const lock = join(folder, ".building")
  const hash = hashOf(folder, sources)
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, "utf8") === hash

  /** Returns true if this process may build; otherwise it waits for the process that builds. */
  const takeLock = async () => {
    for (let waits = 0; waits < WAITS; waits += 1) {
      try {
        mkdirSync(lock)
        return true
      } catch {
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
        if (isBuilt()) return false
      }
    }
    return true
  }

  if (isBuilt()) return
  if (!existsSync(vite)) {
    console.error(`The ${name} is not built: its bundler is a development part. Run npm ci, then npm prune --omit=dev.`)
    return
  }
  if (!(await takeLock())) return
  try {
    for (const mode of modes) {
      const argv = [vite, "build", "--config", join(folder, "vite.config.ts"), "--mode", mode, "--logLevel", "warn"]
      // Runs in its own process, because the tests' environment would make it a development build.
      await run(process.execPath, argv, { cwd: folder, env: { ...process.env, NODE_ENV: "production" } })
    }
    writeFileSync(stamp, hash)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}
