import { openDocumentParser } from "@parley/adapters-documents"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../../adapters-http/test/support/startServer.ts"
import { HARD_DOCUMENTS, uploadHardDocument, type Uploader } from "./uploadHardDocuments.ts"

/** Read, failed with a reason, over a limit, refused at the door: one for each end; the long test has all documents. */
const SOME: ReadonlySet<string> = new Set([
  "an encrypted pdf",
  "a text named as a pdf",
  "a zip bomb as xlsx",
  "a presentation with notes"
])

describe("over HTTP, what breaks readers", () => {
  let server: TestServer
  let closeParser: () => Promise<void>
  let uploader: Uploader
  beforeAll(async () => {
    const { close, parser } = await openDocumentParser()
    closeParser = close
    server = await startServer({ parley: { parser } })
    const user = "ann"
    uploader = {
      upload: (filename, bytes) => {
        const body = new FormData()
        body.set("file", new File([new Uint8Array(bytes)], filename))
        return server.fetch("/api/upload", { method: "POST", user, body })
      },
      get: (path) => server.fetch(path, { user }),
      delete: (path) => server.fetch(path, { method: "DELETE", user })
    }
  })
  afterAll(async () => {
    await server.close()
    await closeParser()
  })

  it.each(HARD_DOCUMENTS.filter(({ name }) => SOME.has(name)))(
    "$name: is read, or fails with its reason, and the server goes on",
    async (document) => {
      await uploadHardDocument(uploader, document)
      expect((await server.fetch("/healthz")).status).toBe(200)
    }
  )
})
