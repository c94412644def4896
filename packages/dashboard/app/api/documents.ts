import { queryOptions } from "@tanstack/react-query"
import { problemOf, unreachable } from "./ApiProblem.ts"
import { json, read, segment, send } from "./request.ts"

export interface StoredDocument {
  readonly id: string
  readonly filename: string
  readonly type: string
  readonly bytes: number
  readonly status: "processing" | "ready" | "failed"
  /** From 0 to 1. */
  readonly progress: number
  /** The reason of the failure. */
  readonly reason: string | null
  /** The same as a code for programs; null if it is unknown. */
  readonly reasonCode: string | null
  /** It failed, and reading the same file again may end otherwise. */
  readonly retryable: boolean
  /** A sentence about the parts of a ready document that have no readable text. */
  readonly notice: string | null
  readonly pages: number | null
  readonly createdAt: string
}

const POLL_MS = 1_000

/** The person's documents, newest first; read again while some are processed. */
export const documentsQuery = queryOptions({
  queryKey: ["documents"],
  queryFn: async ({ signal }) =>
    (await read<{ readonly documents: ReadonlyArray<StoredDocument> }>("/api/documents", signal)).documents,
  refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === "processing") === true ? POLL_MS : false)
})

/** Tries a failed document again. */
export const retryDocument = (documentId: string) => send("/api/rag", json("POST", { documentId }))

export const deleteDocument = (documentId: string) =>
  send(`/api/documents/${segment(documentId)}`, { method: "DELETE" })

/**
 * Uploads a file; returns the new document's id.
 *
 * @param onProgress receives the sent part, from 0 to 1
 * @param signal aborts the upload
 */
export const uploadDocument = (file: File, onProgress: (part: number) => void, signal?: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    // `fetch` does not report the progress of an upload.
    const request = new XMLHttpRequest()
    const form = new FormData()
    form.append("file", file)
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total)
    })
    request.addEventListener("error", () => reject(unreachable()))
    request.addEventListener("abort", () => reject(unreachable()))
    request.addEventListener("load", () => {
      if (request.status !== 200) return reject(problemOf(request.status, request.responseText))
      resolve((JSON.parse(request.responseText) as { readonly documentId: string }).documentId)
    })
    signal?.addEventListener("abort", () => request.abort())
    request.open("POST", "/api/upload")
    request.send(form)
  })
