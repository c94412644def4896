import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { fork } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { DocumentParser } from "@parley/core/adapter"
import { Cause, Effect, Exit, Fiber } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { libreOfficeVersion, WorkerDocumentParser, type WorkerParserOptions } from "../src/index.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-stand-in-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let programs = 0
/** A program in the place of LibreOffice: a script that runs in the folder of the document. */
const standIn = (script: string): string => {
  const path = join(folder, `soffice-${++programs}`)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const sample = join(folder, "sample.docx")
writeFileSync(sample, writeDocx([{ heading: "Storks" }, { paragraph: "They return in March." }]))
const CONVERTS = `mkdir out && cp ${sample} out/in.docx`

const parsing = (options: WorkerParserOptions, type: "doc" | "xls" = "doc") =>
  DocumentParser.use((parser) =>
    parser.parse({ type, bytes: new TextEncoder().encode("old bytes"), userId: "ann" })
  ).pipe(Effect.provide(WorkerDocumentParser.layer(options)))

const failureOf = (options: WorkerParserOptions) => Effect.runPromise(Effect.flip(parsing(options)))

const leftFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("parley-libreoffice-"))
const isRunning = (pid: string) => existsSync(`/proc/${pid.trim()}/cwd`)

/** A killed process ends when the system next runs it, which a busy machine does later. */
const hasEnded = async (pids: string) => {
  await expect.poll(() => isRunning(readFileSync(pids, "utf8"))).toBe(false)
}

describe("a document of an older format", () => {
  it("is read as the newer one that LibreOffice makes of it", async () => {
    const { headings, text } = await Effect.runPromise(parsing({ libreOffice: standIn(CONVERTS) }))
    expect(text).toBe("Storks\n\nThey return in March.")
    expect(headings).toEqual([{ level: 1, title: "Storks", start: 0 }])
  })

  it("is given to a program that finds its own folder and profile, and nothing of the server's environment", async () => {
    const seen = join(folder, "seen")
    const libreOffice = standIn(
      `{ pwd; env; echo "$@"; cat profile/user/registrymodifications.xcu in.doc; } > ${seen}; ${CONVERTS}`
    )
    process.env["PARLEY_TEST_SECRET"] = "hunter2"
    await Effect.runPromise(parsing({ libreOffice }))
    delete process.env["PARLEY_TEST_SECRET"]
    const text = readFileSync(seen, "utf8")
    const [home = ""] = text.split("\n")
    expect(home).toContain("parley-libreoffice-")
    expect(text).toContain(`-env:UserInstallation=file://${home}/profile --infilter=MS Word 97 --convert-to docx:`)
    expect(text).toMatch(/DisableMacrosExecution[^/]*<value>true.*old bytes/s)
    expect(text).not.toContain("hunter2")
    expect(existsSync(home)).toBe(false)
  })

  it("is refused with advice where no LibreOffice is configured", async () => {
    expect((await failureOf({})).reason).toMatch(/LibreOffice.*Save it as \.docx/)
  })

  it.each([
    ["writes nothing", "exit 0", false],
    ["writes a link to another file", `mkdir out && ln -s ${sample} out/in.docx`, false],
    ["fails, as for want of memory,", "exit 1", true],
    ["breaks off", "kill -SEGV $$", true],
    ["has a process that breaks off", "sh -c 'kill -ABRT $$'; exit $?", true]
  ])("is damaged if the program %s; then exhausting: %s, %s", async (_, script, exhausting) => {
    expect(await failureOf({ libreOffice: standIn(script) })).toMatchObject({ failure: "damaged", exhausting })
  })

  it.each(["kill -KILL $$", "sh -c 'kill -KILL $$'; exit $?"])(
    "is no verdict if the program is ended from outside: %s",
    async (script) => {
      const exit = await Effect.runPromiseExit(parsing({ libreOffice: standIn(script) }))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    }
  )

  it("is no verdict if the program is not there", async () => {
    const exit = await Effect.runPromiseExit(parsing({ libreOffice: join(folder, "nowhere") }))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    expect(await libreOfficeVersion(join(folder, "nowhere"))).toBeUndefined()
  })

  /** A script that runs another one beside it, and its outcome once both have ended. */
  const overTime = async (script: string) => {
    const pids = join(folder, "pids")
    const before = leftFolders()
    const libreOffice = standIn(`${script} & echo $! > ${pids}.new; mv ${pids}.new ${pids}; wait`)
    const failure = await failureOf({ libreOffice, baseMilliseconds: 2_000, millisecondsPerMebibyte: 0 })
    await hasEnded(pids)
    expect(leftFolders()).toEqual(before)
    return failure
  }

  it.runIf(process.platform === "linux")(
    "that keeps the program busy is too costly, and leaves neither a process nor a file",
    async () => {
      const failure = await overTime("for _ in 1 2 3 4 5 6 7 8; do while :; do :; done & done; sleep 600")
      expect(failure).toMatchObject({ failure: "too_costly", exhausting: true })
    }
  )

  it.runIf(process.platform === "linux")(
    "with which the program stands still is ended at its time, and is no fault of its owner",
    async () => {
      expect(await overTime("sleep 600")).toMatchObject({ failure: "our_side", exhausting: false })
    }
  )

  it.runIf(process.platform === "linux")(
    "is let go with all its processes if nobody waits for it any more",
    async () => {
      const pids = join(folder, "interrupted")
      const libreOffice = standIn(`sleep 600 & echo $! > ${pids}.new; mv ${pids}.new ${pids}; wait`)
      const fiber = Effect.runFork(parsing({ libreOffice }))
      await expect.poll(() => existsSync(pids), { timeout: 30_000 }).toBe(true)
      await Effect.runPromise(Fiber.interrupt(fiber))
      await hasEnded(pids)
    }
  )
})

it.runIf(process.platform === "linux")("dies with the server, and the next server removes its folder", async () => {
  const pids = join(folder, "of-killed")
  const libreOffice = standIn(`sleep 600 & echo $! > ${pids}.new; mv ${pids}.new ${pids}; wait`)
  const server = fork(fileURLToPath(new URL("fixtures/convertingServer.ts", import.meta.url)), [libreOffice], {
    execArgv: ["--conditions=@parley/source", "--no-warnings"],
    stdio: "inherit"
  })
  await expect.poll(() => existsSync(pids), { timeout: 60_000 }).toBe(true)
  const ofServer = () => leftFolders().filter((name) => name.includes(`-${server.pid}-`))
  expect(ofServer()).toHaveLength(1)
  const ended = once(server, "exit")
  server.kill("SIGKILL")
  await ended
  await expect.poll(() => isRunning(readFileSync(pids, "utf8")), { timeout: 30_000 }).toBe(false)
  const ofSameNumber = mkdtempSync(join(tmpdir(), `parley-libreoffice-${process.pid}-`))
  utimesSync(ofSameNumber, 0, 0)
  await Effect.runPromise(parsing({ libreOffice: standIn(CONVERTS) }))
  expect(ofServer()).toEqual([])
  expect(existsSync(ofSameNumber)).toBe(false)
})

it("the version is what LibreOffice says of itself, and none of another program", async () => {
  expect(await libreOfficeVersion(standIn("echo LibreOffice 24.8.4.2 480"))).toBe("LibreOffice 24.8.4.2")
  expect(await libreOfficeVersion(standIn("echo Something else"))).toBeUndefined()
})
