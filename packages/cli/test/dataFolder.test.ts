import { existsSync, mkdirSync, readdirSync, renameSync, truncateSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { openDatabase } from "@parley/adapters-db"
import { Effect, Exit, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { connectToOwner, sendCommand } from "../src/dataFolder/commandClient.ts"
import { claimDataFolder } from "../src/dataFolder/claimDataFolder.ts"
import { exitCodes } from "../src/exitCodes.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"

const ROUNDS = 10
const CLAIMANTS = 8

/** Leaves the socket of an owner that is gone. */
const leaveDeadSocket = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(folder, "before.sock"), resolve))
  renameSync(join(folder, "before.sock"), join(folder, "parley.sock"))
  await new Promise((resolve) => server.close(resolve))
}

const claimIn = (scope: Scope.Scope, folder: string, takesCommands: boolean) =>
  Effect.provideService(claimDataFolder(folder, takesCommands), Scope.Scope, scope)

const output = () => {
  const said = { stdout: "", stderr: "" }
  return {
    said,
    stdout: (text: string) => void (said.stdout += text),
    stderr: (text: string) => void (said.stderr += text)
  }
}

describe("a data folder", () => {
  it("goes to exactly one of many that claim it at once, also over the socket of one that died", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      using place = temporaryFolder()
      const folder = join(place.path, "data")
      await leaveDeadSocket(folder)
      const scope = Scope.makeUnsafe()
      const exits = await Effect.runPromise(
        Effect.all(
          Array.from({ length: CLAIMANTS }, () => Effect.exit(claimIn(scope, folder, true))),
          { concurrency: "unbounded" }
        )
      )
      expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
      expect(readdirSync(folder)).toEqual(["database.lock", "parley.sock"])
      await Effect.runPromise(Scope.close(scope, Exit.void))
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it("is kept by its database's lock, also from who opens the database without a command", async () => {
    using place = temporaryFolder()
    const dataDir = join(place.path, "database")
    const scope = Scope.makeUnsafe()
    await Effect.runPromise(claimIn(scope, place.path, true))
    await expect(openDatabase({ dataDir })).rejects.toMatchObject({ holder: `process ${process.pid}` })
    const refused = await Effect.runPromise(Effect.flip(Effect.scoped(claimDataFolder(place.path, true))))
    expect(refused.message).toContain(`in use by process ${process.pid}`)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(existsSync(dataDir)).toBe(false)
  })

  it("that nothing can be listened in is unusable, and is given back", async () => {
    using place = temporaryFolder()
    mkdirSync(join(place.path, "parley.sock"))
    const refused = await Effect.runPromise(Effect.flip(Effect.scoped(claimDataFolder(place.path, true))))
    expect(refused).toMatchObject({ _tag: "DataFolderUnusable", problem: expect.stringMatching(/^E/) })
    expect(readdirSync(place.path)).toEqual(["parley.sock"])
  })

  it("is waited for where its owner is a command, which soon ends", async () => {
    using folder = temporaryFolder()
    const scope = Scope.makeUnsafe()
    await Effect.runPromise(claimIn(scope, folder.path, false))
    const next = Effect.runFork(Effect.scoped(Effect.asVoid(claimDataFolder(folder.path, true))))
    expect((await connectToOwner(folder.path))?.greeting).toEqual({ pid: process.pid, takesCommands: false })
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(Exit.isSuccess(await Effect.runPromise(Fiber.await(next)))).toBe(true)
  })

  it("lets a command wait until its owner is ready, then run there, output and exit code coming back", async () => {
    using folder = temporaryFolder()
    const scope = Scope.makeUnsafe()
    const claim = await Effect.runPromise(claimIn(scope, folder.path, true))
    const connection = await connectToOwner(folder.path)
    if (connection === undefined) throw new Error("Nobody answers.")
    const heard = output()
    const outcome = sendCommand(connection, { argv: ["a", "b"] }, heard, new AbortController().signal)
    const answering = claim.answerWith(async ({ argv }, answer) => {
      answer({ stdout: argv.join("-") })
      answer({ stderr: "note" })
      return 4
    })
    await Effect.runPromise(Effect.provideService(answering, Scope.Scope, scope))
    expect(await outcome).toEqual({ _tag: "Ran", exit: 4 })
    expect(heard.said).toEqual({ stdout: "a-b", stderr: "note" })
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it.each(["null", "7", '"credits"', "[]", "{}", '{"argv":null}', '{"argv":"credits"}', '{"argv":[{}]}', "no JSON"])(
    "disconnects a client that sends %s instead of a command, and continues",
    async (line) => {
      using folder = temporaryFolder()
      const scope = Scope.makeUnsafe()
      const claim = await Effect.runPromise(claimIn(scope, folder.path, true))
      const commands: Array<unknown> = []
      const answering = claim.answerWith(async (command) => commands.push(command))
      await Effect.runPromise(Effect.provideService(answering, Scope.Scope, scope))
      const connection = await connectToOwner(folder.path)
      if (connection === undefined) throw new Error("Nobody answers.")
      const closed = new Promise((resolve) => connection.socket.once("close", resolve))
      connection.socket.write(`${line}\n`)
      await closed
      expect(commands).toEqual([])
      expect((await connectToOwner(folder.path))?.greeting).toEqual({ pid: process.pid, takesCommands: true })
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  )

  it("interrupts a command whose sender leaves, and reports a command that was cut off to its sender", async () => {
    using folder = temporaryFolder()
    const scope = Scope.makeUnsafe()
    const claim = await Effect.runPromise(claimIn(scope, folder.path, true))
    const interrupted: Array<string> = []
    const untilAborted = claim.answerWith(
      ({ argv }, answer, signal) =>
        new Promise((resolve) => {
          answer({ stdout: "begun" })
          signal.addEventListener("abort", () => {
            interrupted.push(argv.join())
            resolve(1)
          })
        })
    )
    await Effect.runPromise(Effect.provideService(untilAborted, Scope.Scope, scope))
    const send = async (name: string, leaving: AbortSignal) => {
      const connection = await connectToOwner(folder.path)
      if (connection === undefined) throw new Error("Nobody answers.")
      const heard = output()
      const outcome = sendCommand(connection, { argv: [name] }, heard, leaving)
      await eventually("the command to begin", () => heard.said.stdout === "begun" || undefined)
      return { outcome }
    }
    const leaving = new AbortController()
    const left = await send("left", leaving.signal)
    const cutOff = await send("cut off", new AbortController().signal)
    leaving.abort()
    await eventually("the interruption", () => interrupted.includes("left") || undefined)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect([await left.outcome, await cutOff.outcome]).toEqual([{ _tag: "Lost" }, { _tag: "Lost" }])
    expect(interrupted).toEqual(["left", "cut off"])
  })

  it("whose log is cut, as a power failure leaves it, leads to a backup, and not to the address of a server", async () => {
    using place = temporaryFolder()
    expect((await runHere(["migrate"], place.path, {})).exit).toBe(0)
    const [database = ""] = readdirSync(place.path, { recursive: true, encoding: "utf8" }).filter((each) =>
      each.endsWith("pg_wal")
    )
    const log = join(place.path, database)
    for (const name of readdirSync(log).filter((each) => /^[\dA-F]{24}$/.test(each)))
      truncateSync(join(log, name), 4_096)
    const refused = await runHere(["users", "list"], place.path, {})
    expect(refused).toMatchObject({ exit: exitCodes.unavailable, stderr: expect.stringContaining("parley restore") })
    const looked = await runHere(["doctor"], place.path, {})
    expect(looked.stdout + looked.stderr).toContain("parley restore")
    for (const { stderr, stdout } of [refused, looked]) expect(stdout + stderr).not.toContain("Check DATABASE_URL")
  })
})
