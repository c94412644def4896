import type { Document } from "@parley/core"
import { DOCUMENT_STATUSES } from "@parley/core/adapter"
import { DocumentService } from "@parley/core/effect"
import { DOCUMENT_FAILURES, DOCUMENT_TYPES, mayBeReadAgain } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { empty, json } from "../../exchange/Exchange.ts"
import { fileBody } from "../../body/fileBody.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { uuidParameter } from "../parameters.ts"
import { choice, decimal, flag, listOf, moment, named, orNull, text, uuid, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const STATUS = choice(
  DOCUMENT_STATUSES,
  "`processing`: the document is being read; `ready`: replies can use it; `failed`: it could not be read."
)

const DocumentBody = named("Document", "An uploaded document and its state.", {
  id: uuid("The document's id."),
  filename: text("The name of the uploaded file."),
  type: choice(DOCUMENT_TYPES, "The type of the document."),
  bytes: whole("The size of the file."),
  status: STATUS,
  progress: decimal("The processed part, from 0 to 1."),
  reason: Schema.NullOr(Schema.String).annotate({ description: "The reason of the failure: a sentence for people." }),
  reasonCode: Schema.NullOr(Schema.Literals(DOCUMENT_FAILURES)).annotate({
    description: "The same for programs; null if it is unknown."
  }),
  retryable: Schema.Boolean.annotate({
    description: "True if it failed, and another POST /api/rag may succeed; otherwise only another file helps."
  }),
  notice: Schema.NullOr(Schema.String).annotate({
    description: "A sentence for people if the document is ready and a part of the file has no readable text."
  }),
  pages: orNull(Schema.Int, "The number of pages; null if it has none, or is not read yet."),
  passages: orNull(Schema.Int, "The number of passages that can be searched; null if it is not read yet."),
  createdAt: moment("When the document was uploaded.")
})

const UploadedBody = named("UploadedDocument", "A stored document, whose processing has begun.", {
  documentId: uuid("The document's id."),
  filename: text("The name of the uploaded file."),
  status: STATUS,
  sameAs: Schema.optionalKey(uuid("The id of your first document of the same bytes; absent if there is none."))
})

const StartedBody = named("ProcessingStarted", "The result of a request to process a document.", {
  success: flag("Always true."),
  message: text("A sentence for people.")
})

const DocumentsBody = named("DocumentList", "The documents of a person.", {
  documents: listOf(DocumentBody, "The documents, newest first.")
})

const documentRow = (document: Document): typeof DocumentBody.Type => ({
  id: document.id,
  filename: document.filename,
  type: document.type,
  bytes: document.bytes,
  status: document.status,
  progress: document.progress,
  reason: document.reason ?? null,
  reasonCode: document.reasonCode ?? null,
  retryable: document.status === "failed" && mayBeReadAgain(document.reasonCode),
  notice: document.notice ?? null,
  pages: document.pages ?? null,
  passages: document.passages ?? null,
  createdAt: new Date(document.createdAt).toISOString()
})

/** Stores a file and queues its processing. */
export const postUpload = defineRoute({
  method: "POST",
  path: "/api/upload",
  summary: "Uploads a document; its processing starts by itself",
  details: "GET /api/documents/{id} shows its state; replies can use it when it is `ready`.",
  access: sessionAccess,
  body: fileBody,
  largeWork: "write",
  responses: { 200: { description: "The document is stored.", schema: UploadedBody } },
  errors: ["unauthorized", "file_rejected", "document_quota", "scanner_unavailable", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, body }) {
    const documents = yield* DocumentService
    const { id, filename, sameAs, status } = yield* documents.upload({ userId: caller.userId, ...body })
    const repeated = sameAs === undefined ? {} : { sameAs }
    const uploaded: typeof UploadedBody.Type = { documentId: id, filename, status, ...repeated }
    return json(200, uploaded)
  })
})

/** Requests the processing of a document. */
export const postRag = defineRoute({
  method: "POST",
  path: "/api/rag",
  summary: "Starts the processing of an uploaded document, again if it failed",
  access: sessionAccess,
  body: jsonBody(
    named("ProcessDocument", "A request to process a document.", { documentId: text("The document's id.") }),
    "The document to process."
  ),
  responses: { 200: { description: "Processing has started, or the document is ready already.", schema: StartedBody } },
  errors: [
    "unauthorized",
    "invalid_document_id",
    "document_forbidden",
    "document_not_found",
    "document_quota",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ caller, body }) {
    const documents = yield* DocumentService
    const { status } = yield* documents.vectorize(caller.userId, body.documentId)
    const message =
      status === "ready"
        ? "The document was processed before and is ready."
        : "Processing of the document has started. GET /api/documents tells how far it is."
    const started: typeof StartedBody.Type = { success: true, message }
    return json(200, started)
  })
})

/** A person's documents. */
export const listDocuments = defineRoute({
  method: "GET",
  path: "/api/documents",
  summary: "Lists your documents, newest first",
  access: sessionAccess,
  responses: {
    200: { description: "The documents.", schema: DocumentsBody }
  },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const service = yield* DocumentService
    const documents = yield* service.list(caller.userId)
    return json(200, { documents: documents.map(documentRow) })
  })
})

const pathParameters = { id: uuidParameter("The document's id.") }

/** One document. */
export const getDocument = defineRoute({
  method: "GET",
  path: "/api/documents/{id}",
  summary: "Returns the state of a document",
  access: sessionAccess,
  pathParameters,
  responses: { 200: { description: "The document.", schema: DocumentBody } },
  errors: ["document_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* DocumentService
    return json(200, documentRow(yield* service.get(caller.userId, path.id)))
  })
})

/** Deletes a document. */
export const deleteDocument = defineRoute({
  method: "DELETE",
  path: "/api/documents/{id}",
  summary: "Deletes a document with its bytes and passages",
  access: sessionAccess,
  pathParameters,
  responses: { 204: { description: "It is deleted." } },
  errors: ["document_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const service = yield* DocumentService
    yield* service.remove(caller.userId, path.id)
    return empty()
  })
})
