import { Schema } from "effect"

/** No such document. */
export class DocumentNotFound extends Schema.TaggedError<DocumentNotFound>()("DocumentNotFound", {
  documentId: Schema.String
}) {
  readonly code = "document_not_found"
  override get message() {
    return `There is no document ${this.documentId}. Upload it again, or leave it out.`
  }
}

/** The document belongs to another person. */
export class DocumentForbidden extends Schema.TaggedError<DocumentForbidden>()("DocumentForbidden", {
  documentId: Schema.String
}) {
  readonly code = "document_forbidden"
  override get message() {
    return `The document ${this.documentId} does not belong to you.`
  }
}

/** The document has no text yet: its first processing has not finished, or failed. */
export class DocumentNotIndexed extends Schema.TaggedError<DocumentNotIndexed>()("DocumentNotIndexed", {
  documentId: Schema.String
}) {
  readonly code = "document_not_indexed"
  override get message() {
    return `The document ${this.documentId} has not been processed. Wait until it is ready, or ask for it again.`
  }
}

/** Not a document id at all. */
export class InvalidDocumentId extends Schema.TaggedError<InvalidDocumentId>()("InvalidDocumentId", {}) {
  readonly code = "invalid_document_id"
  override get message() {
    return "The document id must be a UUID, as POST /api/upload answered it."
  }
}

/** A file that cannot be accepted. `problem` says which rule it broke. */
export class FileRejected extends Schema.TaggedError<FileRejected>()("FileRejected", {
  problem: Schema.Literals(["empty", "too-large", "type", "contradiction", "name"]),
  detail: Schema.String
}) {
  readonly code = "file_rejected"
  override get message() {
    return this.detail
  }
}

/** The tier's quota of documents or bytes is used up. */
export class DocumentQuotaExceeded extends Schema.TaggedError<DocumentQuotaExceeded>()("DocumentQuotaExceeded", {
  tier: Schema.String,
  documents: Schema.Int,
  bytes: Schema.Int,
  maxDocuments: Schema.Int,
  maxDocumentBytes: Schema.Int
}) {
  readonly code = "document_quota"
  override get message() {
    return `The ${this.tier} tier holds ${this.maxDocuments} documents and ${this.maxDocumentBytes} bytes; you have ${this.documents} documents with ${this.bytes} bytes. Delete some, or upgrade.`
  }
}
