import type { Agent } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { formOf, type Received, request } from "../attack/request.ts"

/** Milliseconds between two requests for a document's state. */
const LOOK_MS = 5
const PATIENCE_MS = 60_000

/** The durations of an upload, in milliseconds from its beginning. */
export interface Upload {
  /** The time until the response to the upload arrived. */
  readonly answered: number
  /** The time until a response showed that the document is ready. */
  readonly ready: number
}

export interface Uploader {
  readonly agent: Agent
  readonly url: string
  readonly cookie: string
}

const bodyOf = ({ body, status }: Received, path: string): Readonly<Record<string, unknown>> => {
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body.slice(0, 200)}`)
  return JSON.parse(body) as Record<string, unknown>
}

/** Uploads a file and requests its state, as any client may do, until it is ready. */
export const uploadUntilReady = async (
  { agent, cookie, url }: Uploader,
  filename: string,
  bytes: Buffer
): Promise<Upload> => {
  const began = performance.now()
  const passed = () => performance.now() - began
  const upload = { url, cookie, method: "POST", path: "/api/upload", ...formOf(filename, bytes) } as const
  const { documentId } = bodyOf(await request(agent, upload), upload.path)
  const answered = passed()
  const path = `/api/documents/${String(documentId)}`
  for (;;) {
    const { reason, status } = bodyOf(await request(agent, { url, cookie, path }), path)
    if (status === "ready") return { answered, ready: passed() }
    if (status === "failed") throw new Error(`${filename} failed: ${String(reason)}`)
    if (passed() > PATIENCE_MS) throw new Error(`${filename} was not ready in time.`)
    await pause(LOOK_MS)
  }
}
