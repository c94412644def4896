import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { availableParallelism, getPriority, loadavg } from "node:os"
import { promisify } from "node:util"
import { DocumentParser } from "@parley/core/adapter"
import type { DocumentType } from "@parley/core"
import { Effect, Exit, Fiber, ManagedRuntime, Result } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { openDocumentParser, type ParserLimits, WorkerDocumentParser } from "../src/index.ts"
import type { ParserOutcome } from "../src/process/ParserMessage.ts"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { timeLimit } from "../src/process/TimeLimit.ts"
import { parserFences } from "../src/process/fences.ts"
import { PARSER_NICENESS, WorkerProcess } from "../src/process/WorkerProcess.ts"
import { inflatingPdf } from "./fixtures/brokenDocuments.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"
import { writeNestedForms } from "./fixtures/writeNestedForms.ts"
import { writePdf } from "./fixtures/writePdf.ts"

const runtimes: Array<ManagedRuntime.ManagedRuntime<DocumentParser, never>> = []
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.dispose()))
})

const parserWith = (limits: Partial<ParserLimits> = {}) => {
  const runtime = ManagedRuntime.make(WorkerDocumentParser.layer(limits))
  runtimes.push(runtime)
  const parse = (type: DocumentType, bytes: Uint8Array, userId = "ann") =>
    DocumentParser.use((parser) => Effect.result(parser.parse({ type, bytes, userId })))
  return {
    parse: (type: DocumentType, bytes: Uint8Array) => runtime.runPromise(parse(type, bytes)),
    reason: async (type: DocumentType, bytes: Uint8Array, userId?: string) => {
      const result = await runtime.runPromise(parse(type, bytes, userId))
      return Result.isFailure(result) ? result.failure.reason : `read: ${result.success.text.slice(0, 80)}`
    },
    fork: (type: DocumentType, bytes: Uint8Array, userId?: string) => runtime.runFork(parse(type, bytes, userId))
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const longPdf = (pages = 300) =>
  writePdf(Array.from({ length: pages }, (_, index) => [`Page ${index + 1} speaks of lift.`]))
/** Some 30 MiB of XML in a small file: within the size allowed, but its tree takes far more memory. */
const wideDocx = () => writeDocx([], { bodyXml: "<w:p><w:r><w:t>words</w:t></w:r></w:p>".repeat(800_000) })

describe("limits", () => {
  it("a small document is ended by the limit of its size, its cost held against it, and the next one is read", async () => {
    const parser = parserWith({ processes: 1, baseMilliseconds: 1_500, maxMilliseconds: 600_000 })
    const failure = async () => {
      const result = await parser.parse("pdf", writeNestedForms())
      return Result.isFailure(result) ? result.failure : undefined
    }
    let found = await failure()
    for (let again = 0; again < 4 && found?.failure === "our_side"; again += 1) found = await failure()
    expect(found?.reason).toMatch(/took longer than the 1\.[56] seconds/)
    // If the machine leaves it no processor time, the document gets no verdict.
    const isStarved = found?.failure === "our_side" && loadavg()[0]! > 2 * availableParallelism()
    expect(found?.exhausting).toBe(!isStarved)
    expect(await parser.reason("txt", utf8("Still here."))).toBe("read: Still here.")
    const unreadable = await parser.parse("txt", utf8(" "))
    expect(Result.isFailure(unreadable) && unreadable.failure).toMatchObject({ exhausting: false })
  })

  it("the time a document may take grows with its size, between two bounds", () => {
    const limits = {
      ...DEFAULT_PARSER_LIMITS,
      baseMilliseconds: 1000,
      millisecondsPerMebibyte: 500,
      maxMilliseconds: 4000
    }
    const times = [0, 1, 2, 20].map((mebibytes) => timeLimit(limits, mebibytes * 1024 * 1024))
    expect(times).toEqual([1000, 1500, 2000, 4000])
    expect(timeLimit(DEFAULT_PARSER_LIMITS, writeNestedForms().byteLength)).toBeLessThan(16_000)
  })

  it("a document that needs too much memory is ended and said to, and the next one is read", async () => {
    const parser = parserWith({ processes: 1, maxMemoryBytes: 256 * 1024 * 1024, maxInflationRatio: 100_000 })
    expect(await parser.reason("docx", wideDocx())).toMatch(/more memory than is allowed/)
    expect(await parser.reason("txt", utf8("Still here."))).toBe("read: Still here.")
  })

  it("memory outside the heap counts too", async () => {
    const parser = parserWith({ processes: 1, maxMemoryBytes: 192 * 1024 * 1024 })
    expect(await parser.reason("pdf", inflatingPdf())).toMatch(/more memory than is allowed/)
    expect(await parser.reason("txt", utf8("Still here."))).toBe("read: Still here.")
  })

  it.each<[string, Partial<ParserLimits>, DocumentType, () => Uint8Array, RegExp]>([
    ["pages", { maxPages: 2 }, "pdf", () => writePdf([["1"], ["2"], ["3"]]), /has 3 pages; up to 2/],
    [
      "text of a pdf",
      { maxTextLength: 50 },
      "pdf",
      () => writePdf([["x".repeat(30)], ["y".repeat(30)]]),
      /more than the 50/
    ],
    ["text", { maxTextLength: 50 }, "txt", () => utf8("x".repeat(51)), /more than the 50 characters/],
    ["entries", { maxEntries: 3 }, "docx", () => writeDocx([{ paragraph: "x" }]), /unpacks to more/],
    ["inflated bytes", { maxInflatedBytes: 500 }, "docx", () => writeDocx([{ paragraph: "x" }]), /unpacks to more/],
    [
      "inflation ratio",
      { maxInflationRatio: 10 },
      "docx",
      () => writeDocx([], { extraEntries: [{ name: "a.xml", content: Buffer.alloc(10_000_000) }] }),
      /unpacks to more/
    ]
  ])("one more than the %s allowed is refused with a reason", async (_, limits, type, bytes, reason) => {
    expect(await parserWith(limits).reason(type, bytes())).toMatch(reason)
  })

  it("as many pages and characters as allowed are read", async () => {
    expect(await parserWith({ maxPages: 3 }).reason("pdf", writePdf([["1"], ["2"], ["3"]]))).toBe("read: 1\n2\n3")
    expect(await parserWith({ maxTextLength: 5 }).reason("txt", utf8("12345"))).toBe("read: 12345")
  })
})

describe("turns", () => {
  it("one person's documents leave a process to those of others", async () => {
    const parser = parserWith({ processes: 2, baseMilliseconds: 600_000, maxMilliseconds: 600_000 })
    const hostile = Array.from({ length: 4 }, (_, seed) => parser.fork("pdf", writeNestedForms({ seed }), "ann"))
    for (let number = 0; number < 3; number++) {
      expect(await parser.reason("txt", utf8(`Bob's ${number}.`), "bob")).toBe(`read: Bob's ${number}.`)
    }
    expect(hostile.map((fiber) => fiber.pollUnsafe())).toEqual([undefined, undefined, undefined, undefined])
    await Effect.runPromise(Fiber.interruptAll(hostile))
  })

  it("of those who wait, the person served longest ago is next", async () => {
    const parser = parserWith({ processes: 1 })
    const order: Array<string> = []
    const read = async (name: string, userId: string) => {
      await parser.reason("txt", utf8(name), userId)
      order.push(name)
    }
    const anns = Array.from({ length: 5 }, (_, number) => read(`ann ${number}`, "ann"))
    await Promise.all([...anns, read("bob", "bob"), read("cid", "cid")])
    expect(order).toEqual(["ann 0", "bob", "cid", "ann 1", "ann 2", "ann 3", "ann 4"])
  })

  it("a person who leaves while waiting, or while being served, keeps no place", async () => {
    const parser = parserWith({ processes: 1, baseMilliseconds: 600_000, maxMilliseconds: 600_000 })
    const fibers = Array.from({ length: 3 }, (_, seed) => parser.fork("pdf", writeNestedForms({ seed }), `${seed}`))
    await Effect.runPromise(Fiber.interruptAll(fibers))
    expect(await parser.reason("txt", utf8("Free."), "dan")).toBe("read: Free.")
  })
})

describe("isolation", () => {
  it("the server's own thread stays free while large documents are read", async () => {
    const parser = parserWith()
    await parser.parse("txt", utf8("Warm."))
    // By the thread's processor time between two beats, so that a busy machine is not taken for a busy thread.
    const spent = () => process.threadCpuUsage()
    let longest = 0
    let last = spent()
    const beat = setInterval(() => {
      const now = spent()
      longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000)
      last = now
    }, 5)
    const [pdf, text] = [longPdf(2_000), utf8("word ".repeat(1_000_000))]
    last = spent()
    await Promise.all([parser.parse("pdf", pdf), parser.parse("txt", text)])
    clearInterval(beat)
    expect(longest).toBeLessThan(500)
  })

  it("a worker that dies over a document makes it unreadable; a reason says so", async () => {
    const fences = await parserFences()
    const worker = new WorkerProcess({ kind: "pdf", fences, maxMemoryBytes: DEFAULT_PARSER_LIMITS.maxMemoryBytes })
    const outcome = await new Promise<ParserOutcome | Error>((resolve) => {
      worker.read({ kind: "text", bytes: utf8("Warm."), limits: DEFAULT_PARSER_LIMITS }, () => {
        worker.read({ kind: "pdf", bytes: longPdf(), limits: DEFAULT_PARSER_LIMITS }, resolve)
        process.kill(worker.pid ?? 0, "SIGKILL")
      })
    })
    expect(outcome).toMatchObject({
      _tag: "Unreadable",
      reason: expect.stringMatching(/^Reading the document failed: .*\.$/)
    })
    expect(worker.usable).toBe(false)
  })

  it("a worker and all its threads have a lower priority than the server", async () => {
    const { maxMemoryBytes } = DEFAULT_PARSER_LIMITS
    const worker = new WorkerProcess({ kind: "text", fences: await parserFences(), maxMemoryBytes })
    await new Promise<ParserOutcome | Error>((resolve) =>
      worker.read({ kind: "text", bytes: utf8("Warm."), limits: DEFAULT_PARSER_LIMITS }, resolve)
    )
    const pid = worker.pid ?? 0
    expect(getPriority(pid)).toBe(PARSER_NICENESS)
    if (process.platform === "linux") {
      const threads = readdirSync(`/proc/${pid}/task`)
      const fields = threads.map((thread) =>
        readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").split(") ").at(-1)
      )
      expect(new Set(fields.map((stat) => stat?.split(" ")[16]))).toEqual(new Set([String(PARSER_NICENESS)]))
    }
    worker.kill()
  })

  it("an interrupted reading ends its worker, and a waiting document takes its place", async () => {
    const parser = parserWith({ processes: 1 })
    const abandoned = parser.fork("pdf", longPdf())
    const waiting = parser.reason("txt", utf8("My turn."))
    await Effect.runPromise(Fiber.interrupt(abandoned))
    expect(Exit.isFailure(await Effect.runPromise(Fiber.await(abandoned)))).toBe(true)
    expect(await waiting).toBe("read: My turn.")
  })

  it("external references of a document are never fetched", async () => {
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    const target = `http://127.0.0.1:${port}/x.png`
    const image = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    const docx = writeDocx([{ paragraph: "Words." }], {
      relationshipsXml: `<Relationship Id="rId9" Type="${image}" Target="${target}" TargetMode="External"/>`,
      prologXml: `<!DOCTYPE w:document SYSTEM "${target}" [<!ENTITY x SYSTEM "${target}">]>`,
      bodyXml:
        '<w:p><w:r><w:pict><v:imagedata xmlns:v="urn:schemas-microsoft-com:vml" r:id="rId9"/></w:pict></w:r></w:p>'
    })
    expect(await parserWith().reason("docx", docx)).toMatch(/read: Words\.|damaged/)
    await new Promise((resolve) => server.close(resolve))
    expect(requests).toBe(0)
  })

  it("a program that has read a document ends by itself, workers and all", async () => {
    const program = `
      const { openDocumentParser } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)})
      const { Effect } = await import("effect")
      const { parser } = await openDocumentParser()
      const { text } = await Effect.runPromise(parser.parse({ type: "txt", bytes: new TextEncoder().encode("Done."), userId: "ann" }))
      console.log(text)`
    const run = promisify(execFile)(
      process.execPath,
      ["--conditions=@parley/source", "--input-type=module", "-e", program],
      { timeout: 100_000, cwd: import.meta.dirname }
    )
    expect((await run).stdout).toBe("Done.\n")
  })

  it("opens for developers who use promises, and reads again after nothing was read", async () => {
    const unused = await openDocumentParser()
    await unused.close()
    const { parser, close } = await openDocumentParser()
    const { text } = await Effect.runPromise(parser.parse({ type: "md", bytes: utf8("# Hello"), userId: "ann" }))
    expect(text).toBe("# Hello")
    await close()
  })
})
