import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, rmdirSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"

const run = (command: string, args: ReadonlyArray<string>) => execFileSync(command, args, { stdio: "pipe" })

const PIECE = Buffer.alloc(4 * 1024)

/** A file system of a few megabytes, which a test can fill. */
export class SmallDisk implements Disposable {
  readonly path: string

  /** It has the owner of `like`. */
  constructor(path: string, megabytes: number, like: string) {
    this.path = path
    mkdirSync(path, { recursive: true })
    const { gid, uid } = statSync(like)
    run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700,uid=${uid},gid=${gid}`, "tmpfs", path])
  }

  /** Whether this process may make one. */
  static get canBeMade(): boolean {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return false
    try {
      run("unshare", ["--mount", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"])
      return true
    } catch {
      return false
    }
  }

  /** Writes until nothing more can be written. */
  fill(): void {
    const file = openSync(this.#ballast, "a")
    try {
      for (;;) writeSync(file, PIECE)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
    } finally {
      closeSync(file)
    }
  }

  /** Frees the room. */
  clear(): void {
    rmSync(this.#ballast)
  }

  [Symbol.dispose](): void {
    run("umount", ["--lazy", this.path])
    rmdirSync(this.path)
  }

  get #ballast(): string {
    return join(this.path, "ballast")
  }
}
