import { openDocumentParser } from "@parley/adapters-documents"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../../adapters-http/test/support/startServer.ts"
import { HARD_DOCUMENTS, uploadHardDocument, type Uploader } from "./uploadHardDocuments.ts"

/** One for each way a reading can end; the long test has all of them. */
const SOME: ReadonlySet<string> = new Set([
  "a pdf of images",
  "an encrypted pdf",
  "a truncated pdf",
  "a text named as a pdf",
  "a docx that holds itself, and again",
  "a zip bomb as xlsx",
  "a presentation with notes",
  "a page that lies about its encoding, after a preamble of 47 kB",
  "a text in EBCDIC",
  "a ragged table"
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
