import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { hostname } from "node:os"
import { dirname, resolve } from "node:path"
import { Effect, Schema, type Scope } from "effect"

/** Another process has the database folder open. An embedded database serves only one process at a time. */
export class FolderInUse extends Schema.TaggedError<FolderInUse>()("FolderInUse", {
  folder: Schema.String,
  holder: Schema.String
}) {
  readonly code = "folder_in_use"
  override get message() {
    return `The database folder ${this.folder} is in use by ${this.holder}. Stop that process, choose another folder, or set DATABASE_URL to share a Postgres server.`
  }
}

interface Holder {
  readonly pid: number
  readonly host: string
  /**
   * The pid namespace of the process; empty if the system has none. Containers number their processes separately and
   * may share a host name.
   */
  readonly namespace: string
  /** Distinguishes a process from a later one with the same pid; empty if the system does not provide it. */
  readonly started: string
}

const SIGN_OF_LIFE_MS = 5_000
const SILENCE_MS = 30_000

/**
 * Returns the start time of a process, in the system's own unit: undefined if the process has ended or is a zombie,
 * empty if the system does not provide the time.
 */
const startOf = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined
  }
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return fields[0] === "Z" ? undefined : (fields[19] ?? "")
  } catch {
    return ""
  }
}

const ownNamespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

const self = (): Holder => ({
  pid: process.pid,
  host: hostname(),
  namespace: ownNamespace(),
  started: startOf(process.pid) ?? ""
})

/**
 * True if the holder of the lock is alive. A holder in this pid namespace is looked up by its pid; any other counts as
 * alive if it has touched the file recently.
 */
const isAlive = (file: string, holder: Holder): boolean => {
  if (holder.host !== hostname() || holder.namespace !== ownNamespace())
    return Date.now() - statSync(file).mtimeMs < SILENCE_MS
  const started = startOf(holder.pid)
  return started !== undefined && (started === "" || holder.started === "" || started === holder.started)
}

const readHolder = (file: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    // The file is incomplete: its process died while it wrote the file, or is still writing it.
    return { pid: 0, host: "", namespace: "", started: "" }
  }
}

/** Removes the lock of a dead process. If another process has replaced the lock meanwhile, its lock is restored. */
const removeStale = (file: string, stale: Holder): void => {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (JSON.stringify(readHolder(aside)) !== JSON.stringify(stale)) linkSync(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

const describe = ({ pid, host }: Holder): string =>
  host === "" ? "a process that is just starting" : `process ${pid}${host === hostname() ? "" : ` on ${host}`}`

const acquire = (folder: string): Effect.Effect<string, FolderInUse> =>
  Effect.suspend(() => {
    const file = `${resolve(folder)}.lock`
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        writeFileSync(file, JSON.stringify(self()), { flag: "wx", mode: 0o600 })
        return Effect.succeed(file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      }
      const holder = readHolder(file)
      if (holder === undefined) continue
      if (isAlive(file, holder)) return Effect.fail(new FolderInUse({ folder, holder: describe(holder) }))
      removeStale(file, holder)
    }
    return Effect.fail(new FolderInUse({ folder, holder: "several processes that start at once" }))
  })

/**
 * Locks `folder` for this process until the scope closes. The lock is a file beside the folder; missing parent folders
 * are created. The lock of a dead process is taken over: at once if its pid proves that it is dead, otherwise after 30
 * seconds without a sign of life. If a live process holds the lock, the failure names that process.
 */
export const lockFolder = (folder: string): Effect.Effect<void, FolderInUse, Scope.Scope> =>
  Effect.gen(function* () {
    const file = yield* Effect.acquireRelease(acquire(folder), (file) =>
      Effect.sync(() => rmSync(file, { force: true }))
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const sign = () => {
          try {
            utimesSync(file, new Date(), new Date())
          } catch {
            // The file was removed from outside; this process cannot repair that.
          }
        }
        const timer = setInterval(sign, SIGN_OF_LIFE_MS)
        timer.unref()
        return timer
      }),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
  })
