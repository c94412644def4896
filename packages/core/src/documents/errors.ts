import { Schema } from "effect"
import { countOf, sizeOf } from "../storage/spokenNumbers.ts"

/** The person has no document with this id. */
export class DocumentNotFound extends Schema.TaggedError<DocumentNotFound>()("DocumentNotFound", {
  documentId: Schema.String
}) {
  readonly code = "document_not_found"
  override get message() {
    return "There is no such document; it may have been deleted. Upload it again, or leave it out."
  }
}

/** The document belongs to another person. */
export class DocumentForbidden extends Schema.TaggedError<DocumentForbidden>()("DocumentForbidden", {
  documentId: Schema.String
}) {
  readonly code = "document_forbidden"
  override get message() {
    return "One of the documents belongs to another person. Leave it out."
  }
}

/** The document has no text yet: its first processing has not finished, or failed. */
export class DocumentNotIndexed extends Schema.TaggedError<DocumentNotIndexed>()("DocumentNotIndexed", {
  documentId: Schema.String
}) {
  readonly code = "document_not_indexed"
  override get message() {
    return "The document has not been processed. Wait until it is ready; if it failed, try again or upload another file."
  }
}

/** The given text is not the id of a document. */
export class InvalidDocumentId extends Schema.TaggedError<InvalidDocumentId>()("InvalidDocumentId", {}) {
  readonly code = "invalid_document_id"
  override get message() {
    return "The document id must be a UUID, as POST /api/upload answered it."
  }
}

/** A file was refused. `problem` names the rule that it violates. */
export class FileRejected extends Schema.TaggedError<FileRejected>()("FileRejected", {
  problem: Schema.Literals(["empty", "too-large", "type", "contradiction", "name", "malware", "too-large-to-scan"]),
  detail: Schema.String
}) {
  readonly code = "file_rejected"
  override get message() {
    return this.detail
  }
}

/** The refusal of a file in which the malware scanner found malware. */
export const fileInfected = (filename: string): FileRejected =>
  new FileRejected({
    problem: "malware",
    detail: `${filename} contains malware, as the scanner of this service says. It was not stored. Check the device that it comes from.`
  })

/** The refusal of a file that is larger than the malware scanner reads. */
export const fileTooLargeToScan = (): FileRejected =>
  new FileRejected({
    problem: "too-large-to-scan",
    detail: "The file is too large for the malware scanner of this service. It was not stored. Split it."
  })

/** The refusal of a file that is larger than a document may be. */
export const fileTooLarge = (maxBytes: number): FileRejected =>
  new FileRejected({
    problem: "too-large",
    detail: `The file is larger than the ${sizeOf(maxBytes)} that a document may have. Split it, or reduce its images.`
  })

/** The tier's quota of documents or of bytes is used up. */
export class DocumentQuotaExceeded extends Schema.TaggedError<DocumentQuotaExceeded>()("DocumentQuotaExceeded", {
  tier: Schema.String,
  /** The display name of the tier. */
  tierName: Schema.optionalKey(Schema.String),
  /** The number of documents that have not failed; `bytes` is their size. */
  documents: Schema.Int,
  bytes: Schema.Int,
  /**
   * The number of failed documents: they do not count towards the quota, but documents and failed documents together
   * are limited to twice the quota.
   */
  failed: Schema.Int,
  maxDocuments: Schema.Int,
  maxDocumentBytes: Schema.Int
}) {
  readonly code = "document_quota"
  override get message() {
    const room = `${countOf(this.maxDocuments, "document")} with ${sizeOf(this.maxDocumentBytes)} together`
    const failed = this.failed === 0 ? "" : `, and ${this.failed} that could not be read`
    const used = `${countOf(this.documents, "document")} with ${sizeOf(this.bytes)}${failed}`
    return `The plan ${this.tierName ?? this.tier} has room for ${room}; you have ${used}. Delete some you no longer need, or upgrade.`
  }
}
