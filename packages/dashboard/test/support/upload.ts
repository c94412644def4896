import type { APIRequestContext } from "playwright-core"
import { expect } from "vitest"
import type { NamedFile } from "./files.ts"

interface Documents {
  readonly documents: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

/**
 * Uploads files through the HTTP interface, in a person's session, and waits until all are read; returns their ids.
 */
export const upload = async (
  request: APIRequestContext,
  files: ReadonlyArray<NamedFile>
): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (const { bytes, name } of files) {
    const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) }
    const answer = await request.post("/api/upload", { multipart: { file } })
    expect(answer.status(), name).toBe(200)
    ids.push(((await answer.json()) as { documentId: string }).documentId)
  }
  while (files.length > 0) {
    const { documents } = (await (await request.get("/api/documents")).json()) as Documents
    const isRead = ({ id, status }: Documents["documents"][number]) =>
      !ids.includes(id) || status === "ready" || status === "failed"
    if (documents.every(isRead)) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return ids
}
