/**
 * Builds files for browsers if there is no build, or if their sources have changed. Needs no network. An install
 * without development dependencies has no bundler; then the earlier build stays, and a message reports it.
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

/** The files that a path names: the file itself, or all files in a folder. */
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
 * `name` is the name in messages, `folder` the package's folder, `sources` are the files and folders that the build
 * reads, and `modes` the modes of the Vite configuration, which are built into `dist-app` one after another.
 */
export const buildWhereStale = async ({ name, folder, sources, modes = ["production"] }) => {
  const stamp = join(folder, "dist-app/.sources")
  const lock = join(folder, ".building")
  const hash = hashOf(folder, sources)
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, "utf8") === hash

  /** Returns true if this process may build; otherwise waits until the process that builds has finished. */
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
      // The build runs in a separate process, because the environment variables of tests would make it a development
      // build.
      await run(process.execPath, argv, { cwd: folder, env: { ...process.env, NODE_ENV: "production" } })
    }
    writeFileSync(stamp, hash)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}
