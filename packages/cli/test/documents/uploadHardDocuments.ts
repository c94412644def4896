import { expect } from "vitest"
import { BROKEN_DOCUMENTS, type BrokenDocument } from "../../../adapters-documents/test/fixtures/brokenDocuments.ts"
import { SAMPLE_DOCUMENTS, type SampleDocument } from "../../../adapters-documents/test/fixtures/sampleDocuments.ts"

/** Ways to a server, as one person. */
export interface Uploader {
  readonly upload: (filename: string, bytes: Uint8Array) => Promise<Response>
  readonly get: (path: string) => Promise<Response>
  readonly delete: (path: string) => Promise<Response>
}

/** Documents that are refused at upload, because their bytes contradict their name. */
const REFUSED: Readonly<Record<string, string>> = {
  "a text named as a pdf": "contradiction",
  "no bytes at all as a pdf": "empty",
  "an empty file": "empty",
  "a text with NUL bytes": "contradiction",
  "an encrypted docx": "contradiction",
  "an encrypted xlsx": "contradiction",
  "an encrypted pptx": "contradiction",
  "a zip that is no docx": "contradiction",
  "a zip that is no xlsx": "contradiction",
  "a zip that is no pptx": "contradiction"
}

export type HardDocument = SampleDocument | BrokenDocument

/** Every document that is known to break readers, and those that are hard to read. */
export const HARD_DOCUMENTS: ReadonlyArray<HardDocument> = [...SAMPLE_DOCUMENTS, ...BROKEN_DOCUMENTS]

interface DocumentState {
  readonly status: string
  readonly reason: string | null
  readonly reasonCode: string | null
  readonly retryable: boolean
  readonly pages: number | null
}

const settled = async (uploader: Uploader, id: string): Promise<DocumentState> => {
  for (;;) {
    const document = (await (await uploader.get(`/api/documents/${id}`)).json()) as DocumentState
    if (document.status !== "processing") return document
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const expectReadable = async (uploader: Uploader, id: string, { holds, pages }: SampleDocument) => {
  expect(await settled(uploader, id)).toMatchObject({ status: "ready", reason: null, pages })
  const { text } = (await (await uploader.get(`/api/documents/${id}/text`)).json()) as { readonly text: string }
  let from = 0
  for (const piece of holds) {
    const at = text.indexOf(piece, from)
    expect(at, piece).toBeGreaterThanOrEqual(from)
    from = at + piece.length
  }
}

/** Uploads a document, waits for its outcome, compares it with the expected one, and deletes the document. */
export const uploadHardDocument = async (uploader: Uploader, document: HardDocument): Promise<void> => {
  const answer = await uploader.upload(`document.${document.type}`, document.bytes())
  const body = (await answer.json()) as {
    readonly documentId: string
    readonly code?: string
    readonly problem?: string
  }
  const problem = REFUSED[document.name]
  if (problem !== undefined) {
    expect([answer.status, body.code, body.problem]).toEqual([400, "file_rejected", problem])
    return
  }
  expect(answer.status, JSON.stringify(body)).toBe(200)
  if ("holds" in document) await expectReadable(uploader, body.documentId, document)
  else {
    const state = await settled(uploader, body.documentId)
    expect(state).toMatchObject({ status: "failed", retryable: false, pages: null })
    expect(state.reason).toMatch(document.reason)
    if (document.failures !== undefined) expect(document.failures).toContain(state.reasonCode)
  }
  expect((await uploader.delete(`/api/documents/${body.documentId}`)).status).toBe(204)
}
