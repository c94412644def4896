import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The program of an earlier commit, ready to run. */
export interface OlderProgram extends Disposable {
  /** The path of the file that starts `parley`. */
  readonly main: string
}

/** The folder of a package in a checkout, by the name of the workspace. */
const workspaceOf = (checkout: string, name: string): string => join(checkout, "packages", name)

/**
 * Checks out a commit into a temporary folder. Parley's own packages are those of the commit; all other packages are
 * those installed in `root`.
 */
export const olderProgram = (root: string, commit: string): OlderProgram => {
  const folder = mkdtempSync(join(tmpdir(), "parley-older-"))
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", root, ...args], { stdio: "pipe" })
  const remove = () => {
    git("worktree", "remove", "--force", folder)
    rmSync(folder, { recursive: true, force: true })
  }
  git("worktree", "add", "--detach", folder, commit)
  try {
    const installed = join(root, "node_modules")
    const modules = join(folder, "node_modules")
    mkdirSync(join(modules, "@parley"), { recursive: true })
    for (const name of readdirSync(installed)) {
      if (name !== "@parley") symlinkSync(join(installed, name), join(modules, name))
    }
    for (const name of readdirSync(join(folder, "packages"))) {
      symlinkSync(workspaceOf(folder, name), join(modules, "@parley", name))
    }
    return { main: join(folder, "packages/cli/bin/parley.js"), [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}
