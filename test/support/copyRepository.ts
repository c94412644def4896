import { execFile } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

/** Copies the current files of the repository, as a clone would contain them. */
export const copyRepository = async (folder: string): Promise<void> => {
  const argv = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const { stdout } = await run("git", argv, { cwd: root, maxBuffer: 2 ** 26 })
  const { stdout: gone } = await run("git", ["ls-files", "-z", "--deleted"], { cwd: root })
  const deleted = new Set(gone.split("\0"))
  for (const path of stdout.split("\0").filter((each) => each !== "" && !deleted.has(each))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
}
