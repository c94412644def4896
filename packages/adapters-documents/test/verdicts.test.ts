import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { DocumentParser } from "@parley/core/adapter"
import { Effect, ManagedRuntime, Result } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS, type ParserLimits, WorkerDocumentParser } from "../src/index.ts"
import { parserFences } from "../src/process/fences.ts"
import type { ParserOutcome } from "../src/process/ParserMessage.ts"
import { limitTime, processorTime } from "../src/process/TimeLimit.ts"
import { WorkerProcess } from "../src/process/WorkerProcess.ts"
import { inflatingPdf } from "./fixtures/brokenDocuments.ts"
import { writeNestedForms } from "./fixtures/writeNestedForms.ts"
import { writePdf } from "./fixtures/writePdf.ts"

/** For tests that are not about time: a very busy machine leaves readers, which run at low priority, little of it. */
const PATIENT = { baseMilliseconds: 600_000, maxMilliseconds: 600_000 }

const utf8 = (text: string) => new TextEncoder().encode(text)
const longPdf = () => writePdf(Array.from({ length: 300 }, (_, index) => [`Page ${index + 1} speaks of lift.`]))

/** A process that has read a text, and its results for documents while it is disturbed. */
const readingProcess = async () => {
  const { maxMemoryBytes } = DEFAULT_PARSER_LIMITS
  const worker = new WorkerProcess({ kind: "pdf", fences: await parserFences(), maxMemoryBytes })
  const read = (kind: "pdf" | "text", content: Uint8Array, within: ParserLimits) =>
    new Promise<ParserOutcome | Error>((resolve) => worker.read({ kind, bytes: content, limits: within }, resolve))
  await read("text", utf8("Warm."), DEFAULT_PARSER_LIMITS)
  return {
    readWhile: (bytes: Uint8Array, meanwhile: (pid: number) => void, limits: Partial<ParserLimits> = {}) => {
      const reading = read("pdf", bytes, { ...DEFAULT_PARSER_LIMITS, ...PATIENT, ...limits })
      meanwhile(worker.pid ?? 0)
      return reading
    },
    [Symbol.dispose]: () => worker.kill()
  }
}

/** The arguments of a process; undefined if it has ended meanwhile. */
const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return ""
  }
}

/** The parser processes of this program. */
const parserProcesses = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "latin1").trim().split(" "))
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes("parserProcess"))

const runtimes: Array<ManagedRuntime.ManagedRuntime<DocumentParser, never>> = []
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.dispose()))
})

describe.runIf(process.platform === "linux")("what is no fault of a document", () => {
  it("a server whose processes all get a signal, of any kind, reads its documents to their end", async () => {
    using parser = await readingProcess()
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
      const outcome = await parser.readWhile(longPdf(), (pid) => void process.kill(pid, signal))
      expect(outcome, signal).toMatchObject({ _tag: "Parsed" })
    }
  })

  it("a process that does not come to compute is ended, and nothing held against the content", async () => {
    using parser = await readingProcess()
    const stopped = await parser.readWhile(writeNestedForms(), (pid) => void process.kill(pid, "SIGSTOP"), {
      baseMilliseconds: 1_000,
      millisecondsPerMebibyte: 0
    })
    expect(stopped).toMatchObject({ reason: expect.stringContaining("took longer"), exhausting: false })
  })

  it("too much memory in a process that read other documents before is in doubt, and in a new one it is not", async () => {
    const limits = { ...DEFAULT_PARSER_LIMITS, maxMemoryBytes: 192 * 1024 * 1024 }
    const { maxMemoryBytes } = limits
    const worker = new WorkerProcess({ kind: "pdf", fences: await parserFences(), maxMemoryBytes })
    const fresh = await new Promise((resolve) => worker.read({ kind: "pdf", bytes: inflatingPdf(), limits }, resolve))
    expect(fresh).toMatchObject({ exhausting: true })
    expect(fresh).not.toHaveProperty("doubtful")
    using used = await readingProcess()
    const doubted = await used.readWhile(inflatingPdf(), () => undefined, { maxMemoryBytes })
    expect(doubted).toMatchObject({ doubtful: true })
  })

  it("a document whose process was killed from outside is read again", async () => {
    const runtime = ManagedRuntime.make(WorkerDocumentParser.layer({ processes: 1, ...PATIENT }))
    runtimes.push(runtime)
    const parse = (type: "pdf" | "txt", bytes: Uint8Array) =>
      runtime.runPromise(DocumentParser.use((parser) => Effect.result(parser.parse({ type, bytes, userId: "ann" }))))
    await parse("txt", utf8("Warm."))
    await parse("pdf", writePdf([["Warm."]]))
    const [killed] = parserProcesses()
    const reading = parse("pdf", longPdf())
    process.kill(killed ?? 0, "SIGKILL")
    expect(Result.isSuccess(await reading)).toBe(true)
    expect(parserProcesses()).not.toContain(killed)
  })
})

describe.runIf(process.platform === "linux")("a limit of time", () => {
  it("is over once the process computed for so long, or four times as long has passed", async () => {
    const limit = 400
    // Computes for a part of the time, as on a machine that others keep busy.
    const program =
      "setInterval(() => { const end = performance.now() + 20; while (performance.now() < end); }, 60); console.log()"
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })
    try {
      await new Promise((resolve) => child.stdout.once("data", resolve))
      const before = processorTime(child.pid) ?? 0
      const began = performance.now()
      await new Promise((resolve) => void limitTime(() => processorTime(child.pid), limit, resolve))
      const passed = performance.now() - began
      const used = (processorTime(child.pid) ?? 0) - before
      expect(used >= limit - 20 || passed >= 4 * limit - 20).toBe(true)
    } finally {
      child.kill()
    }
  })
})

describe("a parser process", () => {
  it.each([
    ["fails", false],
    ["is judged", false],
    ["is damaged", true],
    ["a text", true]
  ])("reads another document after: %s, if no decoder broke: %s", async (text, usable) => {
    const fixture = new URL("./fixtures/brokenDecoder.mjs", import.meta.url)
    const worker = new WorkerProcess({
      kind: "text",
      fences: await parserFences(),
      maxMemoryBytes: DEFAULT_PARSER_LIMITS.maxMemoryBytes,
      parsers: { url: fixture.href, folder: fileURLToPath(fixture) }
    })
    const outcome = await new Promise<ParserOutcome | Error>((resolve) => {
      worker.read({ kind: "text", bytes: utf8(text), limits: DEFAULT_PARSER_LIMITS }, resolve)
    })
    expect(outcome).toMatchObject(
      text === "a text" ? { _tag: "Parsed" } : { failure: expect.anything(), exhausting: false }
    )
    expect(worker.usable).toBe(usable)
    worker.kill()
  })
})
