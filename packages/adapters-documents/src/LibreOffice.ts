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

/**
 * For each type that LibreOffice converts: the filter that reads it, the filter that writes the newer format, and the
 * type of that format.
 */
const FILTERS = {
  doc: { reads: "MS Word 97", writes: "docx:MS Word 2007 XML", type: "docx" },
  xls: { reads: "MS Excel 97", writes: "xlsx:Calc MS Excel 2007 XML", type: "xlsx" },
  ppt: { reads: "MS PowerPoint 97", writes: "pptx:Impress MS PowerPoint 2007 XML", type: "pptx" }
} as const
export type ConvertedType = keyof typeof FILTERS

/** Returns the type to which documents of an older type are converted. */
export const savedTypeOf = (type: ConvertedType) => FILTERS[type].type

/**
 * The profile of LibreOffice: no macros run, and nothing to which a document refers is opened, neither from the network
 * nor from files.
 */
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
    // The value "never", which each program encodes with a number of its own.
    set("Writer/Content/Update", "Link", "0"),
    set("Calc/Content/Update", "Link", "1"),
    "</oor:items>"
  ].join("\n")
})()

/**
 * A shell script that replaces itself by a program. It ends all processes of the program's group after the other end of
 * its standard input is closed, which the operating system does if the server dies.
 */
const WHILE_SERVER_LIVES = 'exec 3<&0 </dev/null; { read -r _ <&3; kill -KILL 0; } & exec "$@" 3<&-'

/** The limit that the operating system sets for processor time, as a multiple of the time limit for the document. */
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

/**
 * Starts the program on the file in a folder. The folder is the program's home directory, and the only place for its
 * files.
 */
const start = ({ bytes, fences, limits, program, type }: Conversion, folder: string): ChildProcess => {
  const { reads, writes } = FILTERS[type]
  const bounds = {
    dataBytes: limits.maxMemoryBytes,
    fileBytes: limits.maxInflatedBytes,
    // Includes the time of all threads. `limitTime` ends the program earlier than this limit.
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
      // Makes the process the first of a process group, so that the processes that it starts can be ended with it.
      detached: true,
      env: { HOME: folder, TMPDIR: folder, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      stdio: ["pipe", "ignore", "ignore"]
    }
  )
  try {
    if (child.pid !== undefined) setPriority(child.pid, PARSER_NICENESS)
  } catch {
    // Changing the priority is not allowed on this machine; the program runs with the normal one.
  }
  return child
}

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // The process group has ended already.
  }
}

/** Exit codes if the program does not exist or cannot be started. */
const NOT_STARTED: ReadonlyArray<number | null> = [126, 127]

/** Signals by which the operating system stops a program at its limit of processor time or of file size. */
const BOUNDS: ReadonlyArray<string> = ["SIGXCPU", "SIGXFSZ"]

/**
 * The way in which a program ended: `exited` by itself, `costly` at a limit, `hung` without progress, or `broken` by a
 * fault of its own, such as too little memory.
 */
type Ending = "exited" | "costly" | "hung" | "broken"

/**
 * Returns the signal that ended the program. If the program was started by a shell script of its own, the exit code is
 * 128 plus the number of the signal.
 */
const signalOf = (code: number | null, signal: string | null): string | undefined =>
  signal ?? Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0]

const endingOf = (code: number | null, signal: string | null): Effect.Effect<Ending> => {
  if (NOT_STARTED.includes(code)) return Effect.die(new Error("LibreOffice could not be started."))
  const by = signalOf(code, signal)
  // LibreOffice exits with code 0 if a document is damaged, and with another code if memory is too small.
  if (by === undefined) return Effect.succeed(code === 0 ? "exited" : "broken")
  if (BOUNDS.includes(by)) return Effect.succeed("costly")
  // Any other signal came from outside, so the document is not the reason.
  return OWN_FAULTS.has(by) ? Effect.succeed("broken") : Effect.die(new Error("LibreOffice was ended from outside."))
}

/**
 * Runs LibreOffice until it exits or until the time limit for a file of this size, at which it is ended. If the program
 * cannot be started, the effect dies with a defect.
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
    // EPERM means that the process runs as another user.
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/**
 * True if the server that made the folder no longer runs. If it had the process id of this process, the folder is older
 * than this process: in containers a new server often has the same process id.
 */
const isLeft = async (pid: number, folder: string): Promise<boolean> => {
  if (pid !== process.pid) return !isRunning(pid)
  const began = Date.now() - process.uptime() * 1_000
  return ((await lstat(folder).catch(() => undefined))?.mtimeMs ?? began) < began
}

/** Removes the folders of servers that died during a conversion. */
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

/** Returns the content of the written file; undefined if there is no file, or a link to another one. */
const writtenIn = (folder: string, type: ConvertedType, { maxInflatedBytes }: ParserLimits) =>
  Effect.promise(async () => {
    const path = join(folder, "out", `in.${FILTERS[type].type}`)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isFile() !== true) return undefined
    return found.size > maxInflatedBytes ? "too large" : new Uint8Array(await readFile(path))
  })

/**
 * Converts a document of an older format to the newer format that the parsers read, by LibreOffice in a process of its
 * own. The process has limits of time, memory and file size, a profile and a folder that exist only for this document,
 * no macros, and no network if the machine supports that fence. It may read all files that the server may read.
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

/** Returns the version that LibreOffice at this path reports; undefined if there is no LibreOffice at this path. */
export const libreOfficeVersion = (program: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      program,
      ["--version"],
      { timeout: VERSION_MILLISECONDS, env: { PATH: "/usr/bin:/bin" } },
      (failure, out) => resolve(failure === null ? /^LibreOffice [\d.]+/m.exec(out)?.[0] : undefined)
    )
  })
