import type { Document, DocumentText, Operations, UploadedDocument } from "./api.ts"
import { type CallOptions, type Connection, wait } from "./Connection.ts"
import { failureOf, ParleyError, unreached } from "./ParleyError.ts"

export interface UploadOptions extends CallOptions {
  /** The name of the file; default: the name of the given `File`. */
  readonly filename?: string | undefined
  /** Called with the sent part of the file, from 0 to 1. Outside browsers it is called at the end only. */
  readonly onProgress?: ((part: number) => void) | undefined
}

export interface WaitOptions extends CallOptions {
  /** Called with the document each time that its state was read. */
  readonly onChange?: ((document: Document) => void) | undefined
}

export interface DocumentCalls {
  /** Uploads a file. The server then processes it without a further call. */
  upload(file: Blob, options?: UploadOptions): Promise<UploadedDocument>
  list(options?: CallOptions): Promise<ReadonlyArray<Document>>
  get(documentId: string, options?: CallOptions): Promise<Document>
  delete(documentId: string, options?: CallOptions): Promise<void>
  /** Restarts the processing of a document that failed. */
  process(documentId: string, options?: CallOptions): Promise<void>
  /** Returns a part of a document's text; a source names the offsets. */
  text(documentId: string, query?: Operations["getDocumentText"]["query"], options?: CallOptions): Promise<DocumentText>
  /** Returns the address of the uploaded file. */
  fileUrl(documentId: string): string
  /** Resolves when replies can use the document; rejects with `document_failed` if the document cannot be read. */
  waitUntilReady(documentId: string, options?: WaitOptions): Promise<Document>
}

/** Milliseconds between two reads of a document's state: short at first, then longer. */
const FIRST_LOOK_MS = 250
const LAST_LOOK_MS = 3_000

export const documentCalls = (connection: Connection): DocumentCalls => {
  const get: DocumentCalls["get"] = (documentId, options) =>
    connection.call("getDocument", { path: { id: documentId } }, options)
  return {
    get,
    upload: async (file, { filename, onProgress, signal } = {}) => {
      const form = new FormData()
      const name = filename ?? (file as { readonly name?: string }).name ?? "document"
      form.append("file", file, name)
      if (onProgress !== undefined && typeof XMLHttpRequest !== "undefined") {
        return uploadWithProgress(connection, form, { onProgress, signal })
      }
      const uploaded = await connection.call("uploadDocument", { body: form } as object, { signal })
      onProgress?.(1)
      return uploaded
    },
    list: async (options) => (await connection.call("listDocuments", {}, options)).documents,
    delete: (documentId, options) => connection.call("deleteDocument", { path: { id: documentId } }, options),
    process: async (documentId, options) => {
      await connection.call("processDocument", { body: { documentId } }, { ...options, isIdempotent: true })
    },
    text: (documentId, query = {}, options) =>
      connection.call("getDocumentText", { path: { id: documentId }, query }, options),
    fileUrl: (documentId) => connection.urlOf("getDocumentFile", { path: { id: documentId } }),
    waitUntilReady: async (documentId, { onChange, signal } = {}) => {
      for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LAST_LOOK_MS, pause * 1.5)) {
        const document = await get(documentId, { signal })
        onChange?.(document)
        if (document.status === "ready") return document
        if (document.status === "failed") throw unreadable(document)
        await wait(pause, signal)
      }
    }
  }
}

const unreadable = ({ id, reason, reasonCode, retryable }: Document): ParleyError =>
  new ParleyError({
    code: "document_failed",
    message: reason ?? "The document cannot be read.",
    details: { documentId: id, reasonCode, retryable }
  })

interface ProgressOptions extends CallOptions {
  readonly onProgress: (part: number) => void
}

/** Uploads by `XMLHttpRequest`, the only interface of browsers that reports the progress of an upload. */
const uploadWithProgress = async (
  connection: Connection,
  form: FormData,
  { onProgress, signal }: ProgressOptions
): Promise<UploadedDocument> => {
  const headers = Object.entries(await connection.headers())
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("POST", connection.urlOf("uploadDocument"))
    request.withCredentials = true
    for (const [name, value] of headers) request.setRequestHeader(name, value)
    const abort = () => request.abort()
    const fail = () => reject(unreached(undefined, signal))
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total)
    }
    request.onerror = fail
    request.onabort = fail
    request.onload = () => {
      const { responseText, status } = request
      if (status !== 200) return reject(failureOf(status, responseText, request.getResponseHeader("retry-after")))
      try {
        resolve(JSON.parse(responseText) as UploadedDocument)
      } catch (cause) {
        reject(unreached(cause, signal))
      }
    }
    request.onloadend = () => signal?.removeEventListener("abort", abort)
    if (signal?.aborted === true) return fail()
    signal?.addEventListener("abort", abort, { once: true })
    request.send(form)
  })
}
