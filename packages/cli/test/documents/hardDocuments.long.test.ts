import { expect, it } from "vitest"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { startServer, Visitor } from "../processes/RunningServer.ts"
import { MEASURED, measureFrom } from "./measuredServer.ts"
import { HARD_DOCUMENTS, uploadHardDocument } from "./uploadHardDocuments.ts"

const MEBIBYTE = 1024 * 1024
/** The first passes load code on first use, and fill the database's caches. */
const SETTLING = 3
const PASSES = 6
/** The highest memory after a pass, as a share of the memory before: a leak would add the same with each pass. */
const MAX_GROWTH = 1.1

const TYPES = [...new Set(HARD_DOCUMENTS.map(({ type }) => type))].join(",")

it("everything that breaks readers, pass after pass over HTTP: each has its state and reason, the server lives, and its memory settles", async () => {
  using folder = temporaryFolder()
  await using server = await startServer(folder.path, { PARLEY_UPLOAD_TYPES: TYPES, ...MEASURED })
  const after: Array<number> = []
  for (let pass = 1; pass <= PASSES; pass++) {
    const visitor = new Visitor(server.url)
    await visitor.signIn(`reader${pass}@example.com`)
    for (const document of HARD_DOCUMENTS) {
      try {
        await uploadHardDocument(visitor, document)
      } catch (cause) {
        throw new Error(`Pass ${pass}, ${document.name}`, { cause })
      }
    }
    expect((await visitor.get("/healthz")).status).toBe(200)
    const { resident } = await measureFrom(server, folder.path)
    after.push(resident / MEBIBYTE)
    process.stdout.write(`memory after pass ${pass}: ${after.at(-1)?.toFixed(0)} MiB\n`)
  }
  const settled = Math.max(...after.slice(0, SETTLING))
  expect(Math.min(...after.slice(SETTLING))).toBeLessThanOrEqual(settled * MAX_GROWTH)
}, 3_600_000)
