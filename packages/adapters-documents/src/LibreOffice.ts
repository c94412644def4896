import { type ChildProcess, execFile, spawn } from "node:child_process"
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { constants, setPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"
import type { ParserLimits } from "./ParserLimits.ts"
import { type ParserFences, programWithin } from "./process/fences.ts"
import { groupProcessorTime, limitTime, timeLimit } from "./process/TimeLimit.ts"
import { OWN_FAULTS, PARSER_NICENESS } from "./process/WorkerProcess.ts"

/** The filters of LibreOffice for each type that it converts: that which reads it, and that which writes the other. */
const FILTERS = {
  doc: { reads: "MS Word 97", writes: "docx:MS Word 2007 XML", type: "docx" },
  xls: { reads: "MS Excel 97", writes: "xlsx:Calc MS Excel 2007 XML", type: "xlsx" },
  ppt: { reads: "MS PowerPoint 97", writes: "pptx:Impress MS PowerPoint 2007 XML", type: "pptx" }
} as const
export type ConvertedType = keyof typeof FILTERS

/** The type as which a document of a type is saved. */
export const savedTypeOf = (type: ConvertedType) => FILTERS[type].type

/** No macro runs, and nothing that a document refers to is fetched, from files either. */
const PROFILE = (() => {
  const set = (path: string, name: string, value: string) =>
    `<item oor:path="/org.openoffice.Office.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry">',
    set("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    set("Common/Security/Scripting", "DisableActiveContent", "true"),
    set("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    set("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    // "Never" in each program's own numbers.
    set("Writer/Content/Update", "Link", "0"),
    set("Calc/Content/Update", "Link", "1"),
    "</oor:items>"
  ].join("\n")
})()

/**
 * Replaces the shell by a program, and ends all processes of their group when the other end of the shell's input is closed,
 * which the operating system does if the server dies.
 */
const WHILE_SERVER_LIVES = 'exec 3<&0 </dev/null; { read -r _ <&3; kill -KILL 0; } & exec "$@" 3<&-'

/** The operating system's bound of processor time, in times of the limit. */
const LATEST = 4

const DAMAGED = "The document is damaged or locked, and cannot be read. Save it in a newer format and upload that."
const BROKEN =
  "Converting the document failed: it is damaged, or needs more memory than is allowed. Split it, or save it in a newer format and upload that."
const TOO_COSTLY =
  "Reading the document took more time or memory than a document may. Split it, or save it in a newer format and upload that."
const HUNG =
  "The document could not be converted, because the conversion stood still. Save it in a newer format and upload that."

const damaged = new DocumentUnreadable({ failure: "damaged", reason: DAMAGED, exhausting: false })
const broken = new DocumentUnreadable({ failure: "damaged", reason: BROKEN, exhausting: true })
const tooCostly = new DocumentUnreadable({ failure: "too_costly", reason: TOO_COSTLY, exhausting: true })
const hung = new DocumentUnreadable({ failure: "our_side", reason: HUNG, exhausting: false })

export interface Conversion {
  /** The path of LibreOffice's program: `/usr/bin/soffice`. */
  readonly program: string
  readonly fences: ParserFences
  readonly limits: ParserLimits
  readonly type: ConvertedType
  readonly bytes: Uint8Array
}

/** Starts the program on the file in a folder, which is its home and the only place for its own files. */
const start = ({ bytes, fences, limits, program, type }: Conversion, folder: string): ChildProcess => {
  const { reads, writes } = FILTERS[type]
  const bounds = {
    dataBytes: limits.maxMemoryBytes,
    fileBytes: limits.maxInflatedBytes,
    // Counts all threads: `limitTime` ends the program before.
    seconds: Math.ceil((LATEST * timeLimit(limits, bytes.byteLength)) / 1_000)
  }
  const { before, file } = programWithin(fences, program, bounds)
  const options = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, "profile")).href}`
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      WHILE_SERVER_LIVES,
      "sh",
      file,
      ...before,
      ...options,
      profile,
      `--infilter=${reads}`,
      "--convert-to",
      writes,
      "--outdir",
      "out",
      `in.${type}`
    ],
    {
      cwd: folder,
      // Also the group of the processes that it starts, so that all of them can be ended.
      detached: true,
      env: { HOME: folder, TMPDIR: folder, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      stdio: ["pipe", "ignore", "ignore"]
    }
  )
  try {
    if (child.pid !== undefined) setPriority(child.pid, PARSER_NICENESS)
  } catch {
    // Not allowed here: it runs all the same.
  }
  return child
}

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** Exit codes of those that start a program: there is none, or it cannot be started. */
const NOT_STARTED: ReadonlyArray<number | null> = [126, 127]

/** Signals that stop a program at a bound of processor time or of the size of a file. */
const BOUNDS: ReadonlyArray<string> = ["SIGXCPU", "SIGXFSZ"]

/** How a program ended: by itself, at a bound, or by a fault of its own, such as too little memory. */
type Ending = "exited" | "costly" | "hung" | "broken"

/** The signal that ended a program or, by its exit code, a process that a shell of it started: shells add 128. */
const signalOf = (code: number | null, signal: string | null): string | undefined =>
  signal ?? Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0]

const endingOf = (code: number | null, signal: string | null): Effect.Effect<Ending> => {
  if (NOT_STARTED.includes(code)) return Effect.die(new Error("LibreOffice could not be started."))
  const by = signalOf(code, signal)
  // A damaged document is no error to LibreOffice; too little memory is.
  if (by === undefined) return Effect.succeed(code === 0 ? "exited" : "broken")
  if (BOUNDS.includes(by)) return Effect.succeed("costly")
  // Any other signal came from outside, and says nothing about the document.
  return OWN_FAULTS.has(by) ? Effect.succeed("broken") : Effect.die(new Error("LibreOffice was ended from outside."))
}

/**
 * Runs LibreOffice until it exits, or ends it at the time limit for a file of this size. If the program cannot be started,
 * the effect fails with a defect.
 */
const run = (conversion: Conversion, folder: string) =>
  Effect.callback<Ending>((resume) => {
    const child = start(conversion, folder)
    const end = (outcome: Effect.Effect<Ending>) => {
      stop()
      killGroup(child)
      resume(outcome)
    }
    const milliseconds = timeLimit(conversion.limits, conversion.bytes.byteLength)
    const stop = limitTime(
      () => groupProcessorTime(child.pid),
      milliseconds,
      ({ used }) => end(Effect.succeed(used ? "costly" : "hung"))
    )
    child.once("error", (cause) => end(Effect.die(cause)))
    child.once("exit", (code, signal) => end(endingOf(code, signal)))
    return Effect.sync(() => {
      stop()
      killGroup(child)
    })
  })

const FOLDER = /^parley-libreoffice-(\d+)-/
const OWN_FOLDER = `parley-libreoffice-${process.pid}-`

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // It runs, for another user.
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Whether the server of a process number left a folder: in a container the next one often has the same number. */
const isLeft = async (pid: number, folder: string): Promise<boolean> => {
  if (pid !== process.pid) return !isRunning(pid)
  const began = Date.now() - process.uptime() * 1_000
  return ((await lstat(folder).catch(() => undefined))?.mtimeMs ?? began) < began
}

/** Removes the folders that servers left which died during a conversion. */
export const sweepConversions = Effect.promise(async () => {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = FOLDER.exec(name)?.[1]
    const folder = join(tmpdir(), name)
    if (pid === undefined || !(await isLeft(Number(pid), folder))) continue
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
})

const folderOf = (type: ConvertedType, bytes: Uint8Array) =>
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), OWN_FOLDER))
    const user = join(folder, "profile", "user")
    await mkdir(user, { recursive: true })
    await writeFile(join(user, "registrymodifications.xcu"), PROFILE)
    await writeFile(join(folder, `in.${type}`), bytes)
    return folder
  })

/** The written file; undefined if there is none, or a link to another one. */
const writtenIn = (folder: string, type: ConvertedType, { maxInflatedBytes }: ParserLimits) =>
  Effect.promise(async () => {
    const path = join(folder, "out", `in.${FILTERS[type].type}`)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isFile() !== true) return undefined
    return found.size > maxInflatedBytes ? "too large" : new Uint8Array(await readFile(path))
  })

/**
 * Converts a document of an older format to the newer one that the parsers read, by LibreOffice in a process of its own:
 * with limits of time, memory and size, a profile and a folder that exist only for this document, no network where
 * the machine has that fence, no macros. It may read the files that the server may read.
 */
export const convert = (conversion: Conversion): Effect.Effect<Uint8Array, DocumentUnreadable> => {
  const { bytes, limits, type } = conversion
  return Effect.acquireUseRelease(
    folderOf(type, bytes),
    Effect.fnUntraced(function* (folder) {
      const ending = yield* run(conversion, folder)
      if (ending === "costly") return yield* tooCostly
      if (ending === "hung") return yield* hung
      const written = yield* writtenIn(folder, type, limits)
      if (written === "too large") return yield* tooCostly
      return written ?? (yield* ending === "broken" ? broken : damaged)
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
}

const VERSION_MILLISECONDS = 30_000

/** The version of LibreOffice at a path, as it names itself; undefined if no LibreOffice is there. */
export const libreOfficeVersion = (program: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      program,
      ["--version"],
      { timeout: VERSION_MILLISECONDS, env: { PATH: "/usr/bin:/bin" } },
      (failure, out) => resolve(failure === null ? /^LibreOffice [\d.]+/m.exec(out)?.[0] : undefined)
    )
  })
