import { type ChildProcess, execFile, spawn } from "node:child_process"
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { setPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"
import type { ParserLimits } from "./ParserLimits.ts"
import { type ParserFences, programWithin } from "./process/fences.ts"
import { timeLimit } from "./process/TimeLimit.ts"
import { PARSER_NICENESS } from "./process/WorkerProcess.ts"

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

/** If other processes keep the processors busy, a conversion may take this many times as long by the clock. */
const TIMES = 4

const unreadable = (failure: "damaged" | "too_costly", reason: string) =>
  new DocumentUnreadable({ failure, reason, exhausting: failure === "too_costly" })

const DAMAGED = "The document is damaged or locked, and cannot be read. Save it in a newer format and upload that."
const TOO_COSTLY =
  "Reading the document took more time or memory than a document may. Split it, or save it in a newer format and upload that."

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
    seconds: Math.ceil(timeLimit(limits, bytes.byteLength) / 1_000)
  }
  const { before, file } = programWithin(fences, program, bounds)
  const options = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, "profile")).href}`
  const child = spawn(
    file,
    [...before, ...options, profile, `--infilter=${reads}`, "--convert-to", writes, "--outdir", "out", `in.${type}`],
    {
      cwd: folder,
      // Also the group of the processes that it starts, so that all of them can be ended.
      detached: true,
      env: { HOME: folder, TMPDIR: folder, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      stdio: "ignore"
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

/** Runs the program to its end, or ends it; returns the milliseconds that passed. Dies if it cannot be started. */
const run = (conversion: Conversion, folder: string, milliseconds: number) =>
  Effect.callback<number>((resume) => {
    const began = performance.now()
    const child = start(conversion, folder)
    const timer = setTimeout(() => killGroup(child), TIMES * milliseconds)
    const end = (outcome: Effect.Effect<number>) => {
      clearTimeout(timer)
      killGroup(child)
      resume(outcome)
    }
    child.once("error", (cause) => end(Effect.die(cause)))
    child.once("exit", (code) =>
      end(
        NOT_STARTED.includes(code)
          ? Effect.die(new Error("LibreOffice could not be started."))
          : Effect.sync(() => performance.now() - began)
      )
    )
    return Effect.sync(() => {
      clearTimeout(timer)
      killGroup(child)
    })
  })

const folderOf = (type: ConvertedType, bytes: Uint8Array) =>
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-libreoffice-"))
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
  const milliseconds = timeLimit(limits, bytes.byteLength)
  return Effect.acquireUseRelease(
    folderOf(type, bytes),
    Effect.fnUntraced(function* (folder) {
      const took = yield* run(conversion, folder, milliseconds)
      const written = yield* writtenIn(folder, type, limits)
      if (written === "too large") return yield* unreadable("too_costly", TOO_COSTLY)
      if (written !== undefined) return written
      return yield* took < milliseconds ? unreadable("damaged", DAMAGED) : unreadable("too_costly", TOO_COSTLY)
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
