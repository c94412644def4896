import { runtimeOf } from "@parley/core/effect"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDatabase } from "@parley/adapters-db"
import { parseS3Url, s3Objects } from "@parley/adapters-s3"
import { createParley } from "@parley/core"
import { ChatModels, DocumentParser, FileMover, type ParsedDocument } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"
import S3rver from "s3rver"
import { expect, it } from "vitest"

const models = ChatModels.of({ resolve: () => Effect.die("No model is asked.") })
const parser = DocumentParser.of({
  parse: ({ bytes }) => Effect.succeed<ParsedDocument>({ text: new TextDecoder().decode(bytes), pageStarts: null })
})

it("an uploaded file rests in S3 once it was read, is read from there, and is gone there when its document is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-files-"))
  const buckets = [{ name: "acme-documents", configs: [] }]
  const settings = {
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: join(folder, "s3"),
    configureBuckets: buckets
  }
  const server = new S3rver(settings)
  const { port } = await server.run()
  const place = parseS3Url(`s3://acme-documents/parley?endpoint=http://127.0.0.1:${port}`)
  if (place === undefined) throw new Error("The place is not read.")
  const objects = s3Objects({ ...place, accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") })
  const database = await openDatabase({ dataDir: join(folder, "database"), objects })
  const parley = await createParley({ ...database, models, parser, work: ["jobs"] })
  const kept = () =>
    readdirSync(join(folder, "s3"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("_object"))
  const move = () => runtimeOf(parley).runPromise(FileMover.use(({ move }) => move))
  try {
    const bytes = new TextEncoder().encode("The budget is 40,000 euros.")
    const { id } = await parley.documents.upload({ userId: "ann", filename: "budget.txt", bytes })
    await expect.poll(async () => (await parley.documents.get("ann", id)).status).toBe("ready")
    expect(kept()).toHaveLength(0)
    expect(await move()).toEqual({ moved: 1, removed: 0 })
    expect(kept()).toHaveLength(1)
    const file = await Effect.runPromise(database.files.read({ userId: "ann", documentId: id }))
    expect(file).toEqual(bytes)
    await parley.documents.remove("ann", id)
    expect(await move()).toEqual({ moved: 0, removed: 1 })
    expect(kept()).toHaveLength(0)
  } finally {
    await parley.close()
    await database.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
