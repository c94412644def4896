import { spawnSync } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ParserFences, parserFences, readableFolders } from "../src/process/fences.ts"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import type { ParserOutcome } from "../src/process/ParserMessage.ts"
import { WorkerProcess } from "../src/process/WorkerProcess.ts"

/** Runs the hostile parser as for any document, and returns its achievements. */
const attack = async (fences: ParserFences, port: number): Promise<Record<string, string>> => {
  const fixture = new URL("./fixtures/hostileParser.mjs", import.meta.url)
  const worker = new WorkerProcess({
    kind: "text",
    fences,
    maxMemoryBytes: DEFAULT_PARSER_LIMITS.maxMemoryBytes,
    parsers: { url: fixture.href, folder: fileURLToPath(fixture) }
  })
  const bytes = new TextEncoder().encode(JSON.stringify({ port, parent: process.pid }))
  const outcome = await new Promise<ParserOutcome | Error>((resolve) => {
    worker.read({ kind: "text", bytes, limits: DEFAULT_PARSER_LIMITS }, resolve)
  })
  worker.kill()
  if (outcome instanceof Error || outcome._tag !== "Parsed") throw new Error(JSON.stringify(outcome))
  return JSON.parse(outcome.document.text) as Record<string, string>
}

const worked = (results: Record<string, string>): ReadonlyArray<string> =>
  Object.keys(results).filter((name) => results[name] === "worked")

/** Open by Node's permissions: its own source, and names in common parent folders of the readable files. */
const HARMLESS = new Set(["open its own packages' files again", "list the root", "list the packages"])
const NETWORK = new Set(["connect by a socket", "reach sockets that were kept"])

describe("a parser taken over by its document", () => {
  let connections = 0
  const server = createServer(() => void connections++)
  const port = () => (server.address() as { port: number }).port
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  it("reads nothing, connects nowhere and starts nothing", async () => {
    const fences = await parserFences()
    const results = await attack(fences, port())
    const expected = [...(fences.descriptors ? [] : HARMLESS), ...(fences.descriptors || fences.network ? [] : NETWORK)]
    expect(worked(results).toSorted()).toEqual(expected.toSorted())
    if (fences.descriptors || fences.network) expect(connections).toBe(0)
  })

  it("reads no file of others and starts no program by Node's own fence alone", async () => {
    const results = await attack({ permissions: true, descriptors: false, network: false }, port())
    expect(worked(results).toSorted()).toEqual([...HARMLESS, ...NETWORK].toSorted())
  })

  it.each<[string, Partial<ParserFences>]>([
    ["descriptors", { descriptors: true }],
    ["network", { network: true }]
  ])("connects nowhere by the fence of %s alone", async (name, only) => {
    const fences = await parserFences()
    if (!fences[name as keyof ParserFences]) return
    const before = connections
    const results = await attack({ permissions: true, descriptors: false, network: false, ...only }, port())
    expect(worked(results).filter((each) => !HARMLESS.has(each))).toEqual([])
    expect(connections).toBe(before)
  })

  it("may read its own packages, and nothing that holds a secret of ours", () => {
    for (const folder of readableFolders()) expect(folder).toMatch(/adapters-documents|node_modules/)
    expect(readableFolders().filter((folder) => /node_modules\/?$/.test(folder))).toEqual([])
  })

  it.runIf(process.platform === "linux" && spawnSync("/usr/bin/prlimit", ["--version"]).status === 0)(
    "finds the fence that this machine has",
    async () => {
      expect((await parserFences()).descriptors).toBe(true)
    }
  )
})
