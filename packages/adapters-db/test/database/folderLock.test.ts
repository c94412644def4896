import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { lockFolder } from "../../src/database/embedded/folderLock.ts"

const program = fileURLToPath(new URL("../fixtures/holdFolder.ts", import.meta.url))

describe("lockFolder", () => {
  let root: string
  let folder: string
  const children: Array<ChildProcess> = []
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-lock-"))
    folder = join(root, "deep", "database")
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL")
    rmSync(root, { recursive: true, force: true })
  })

  const holdElsewhere = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ["--conditions=@parley/source", program, folder], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    children.push(child)
    await once(child.stdout, "data")
    return child
  }
  const hold = <A>(inside: Effect.Effect<A> = Effect.void as Effect.Effect<A>) =>
    Effect.runPromise(Effect.scoped(Effect.andThen(lockFolder(folder), inside)))
  const refusal = () => Effect.runPromise(Effect.scoped(Effect.flip(lockFolder(folder))))

  /** Leaves the lock of another process; the rest of it is as this process would write it. */
  const leaveLock = async (holder: Readonly<Record<string, unknown>>): Promise<string> => {
    const file = `${folder}.lock`
    await hold(
      Effect.sync(() => {
        writeFileSync(`${file}.left`, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...holder }))
      })
    )
    renameSync(`${file}.left`, file)
    return file
  }

  it("gives the folder back at the end", async () => {
    await hold()
    await hold()
  })

  it("refuses a folder that is held, in this process or another, naming the holder", async () => {
    await hold(Effect.promise(async () => expect((await refusal()).message).toContain(`process ${process.pid}`)))
    const child = await holdElsewhere()
    const error = await refusal()
    expect(error).toMatchObject({ _tag: "FolderInUse", folder, holder: `process ${child.pid}` })
    expect(error.message).toContain("DATABASE_URL")
  })

  it("takes over the lock of a process that died without giving it back", async () => {
    const child = await holdElsewhere()
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
    await hold()
  })

  it("takes over the lock of another process that has the same number now", async () => {
    await leaveLock({ pid: process.pid, started: "1" })
    await hold()
  })

  it.each([
    ["machine", { pid: 1, host: "elsewhere", started: "1" }, "process 1 on elsewhere"],
    ["container of the same name", { namespace: "pid:[1]", started: "1" }, `process ${process.pid}`]
  ])("judges a holder on another %s by its signs of life", async (_, holder, named) => {
    const file = await leaveLock(holder)
    expect((await refusal()).holder).toBe(named)
    const before = new Date(Date.now() - 60_000)
    utimesSync(file, before, before)
    await hold()
  })

  it("of many that want a dead process's folder at once, one gets it", async () => {
    await leaveLock({ pid: 2 ** 22 + 1, started: "1" })
    const all = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ["--conditions=@parley/source", program, folder], {
        stdio: ["ignore", "pipe", "ignore"]
      })
      children.push(child)
      return Promise.race([once(child.stdout, "data").then(() => "held"), once(child, "exit").then(() => "refused")])
    })
    expect((await Promise.all(all)).toSorted()).toEqual(["held", "refused", "refused", "refused"])
  })
})
