// Written by `npm run docs:tables` from the table of routes: change that.

/** An uploaded document and its state. */
export interface Document {
  /** The document's id. */
  readonly id: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The type of the document. */
  readonly type: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv"
  /** The size of the file. */
  readonly bytes: number
  /** `processing`: the document is being read; `ready`: replies can use it; `failed`: it could not be read. */
  readonly status: "processing" | "ready" | "failed"
  /** The processed part, from 0 to 1. */
  readonly progress: number
  /** The reason of the failure: a sentence for people. */
  readonly reason: string | null
  /** The same for programs; null if it is unknown. */
  readonly reasonCode: "password" | "scan" | "no_text" | "damaged" | "incomplete" | "encoding" | "too_long" | "too_costly" | "unreadable" | "waiting" | "our_side" | null
  /** True if it failed, and another POST /api/rag may succeed; otherwise only another file helps. */
  readonly retryable: boolean
  /** A sentence for people if the document is ready and a part of the file has no readable text. */
  readonly notice: string | null
  /** The number of pages; null if it has none, or is not read yet. */
  readonly pages: number | null
  /** The number of passages that can be searched; null if it is not read yet. */
  readonly passages: number | null
  /** When the document was uploaded. */
  readonly createdAt: string
}

/** The documents of a person. */
export interface DocumentList {
  /** The documents, newest first. */
  readonly documents: ReadonlyArray<Document>
}

/** A part of a document's text. */
export interface DocumentText {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The type of the document. */
  readonly type: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv"
  /** Beginning of the part, in UTF-16 units. */
  readonly from: number
  /** End of the part, in UTF-16 units. */
  readonly to: number
  /** Length of the whole text, in UTF-16 units. */
  readonly length: number
  /** The part. */
  readonly text: string
  /** The pages of the part; null if the document has none. */
  readonly pages: ReadonlyArray<PageRange> | null
}

/** The place of a page in a document's text. */
export interface PageRange {
  /** The number of the page, from 1. */
  readonly page: number
  /** Beginning of the page, in UTF-16 units. */
  readonly start: number
  /** End of the page, in UTF-16 units. */
  readonly end: number
}

/** A request to process a document. */
export interface ProcessDocument {
  /** The document's id. */
  readonly documentId: string
}

/** The result of a request to process a document. */
export interface ProcessingStarted {
  /** Always true. */
  readonly success: boolean
  /** A sentence for people. */
  readonly message: string
}

/** The indexing of a person's documents. */
export interface Reindexing {
  /** The number of ready documents. */
  readonly documents: number
  /** The number of their passages. */
  readonly passages: number
  /** Those of them that were indexed by another embedder, parser or version of the indexing. */
  readonly outdated: number
  /** The number of passages of outdated documents. */
  readonly outdatedPassages: number
  /** The number of outdated documents that could not be indexed anew. */
  readonly failed: number
  /** The work; `stopped`: it ended before the last document, and goes on with another POST. */
  readonly work: "none" | "waiting" | "running" | "stopped"
  /** Passages of documents in work that are written already. */
  readonly passagesInWork: number
  /** The first hundred documents that failed. */
  readonly failures: ReadonlyArray<ReindexingFailure>
}

/** A document that could not be indexed anew. */
export interface ReindexingFailure {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The reason. */
  readonly reasonCode: "password" | "scan" | "no_text" | "damaged" | "incomplete" | "encoding" | "too_long" | "too_costly" | "unreadable" | "waiting" | "our_side"
}

/** A stored document, whose processing has begun. */
export interface UploadedDocument {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** `processing`: the document is being read; `ready`: replies can use it; `failed`: it could not be read. */
  readonly status: "processing" | "ready" | "failed"
  /** The id of your first document of the same bytes; absent if there is none. */
  readonly sameAs?: string
}

/** The operations of this area, by their ids. */
export interface DocumentsOperations {
  /** Uploads a document; its processing starts by itself. GET /api/documents/{id} shows its state; replies can use it when it is `ready`. Callers are signed-in people. */
  readonly uploadDocument: {
    readonly response: UploadedDocument
  }
  /** Starts the processing of an uploaded document, again if it failed. Callers are signed-in people. */
  readonly processDocument: {
    readonly body: ProcessDocument
    readonly response: ProcessingStarted
  }
  /** Lists your documents, newest first. Callers are signed-in people. */
  readonly listDocuments: {
    readonly response: DocumentList
  }
  /** Returns the state of a document. Callers are signed-in people. */
  readonly getDocument: {
    readonly path: {
      readonly id: string
    }
    readonly response: Document
  }
  /** Deletes a document with its bytes and passages. Callers are signed-in people. */
  readonly deleteDocument: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Returns a part of a document's text, by the offsets of cited passages. Callers are signed-in people. */
  readonly getDocumentText: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** Beginning of the part, in UTF-16 units. */
      readonly from?: number | undefined
      /** End of the part. The response has at most 65536 units, also without this parameter. */
      readonly to?: number | undefined
    }
    readonly response: DocumentText
  }
  /** Returns a document as it was uploaded. Callers are signed-in people. */
  readonly getDocumentFile: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Tells how many of your documents are on an older index, and how far their re-indexing is. Callers are signed-in people. */
  readonly getReindexing: {
    readonly response: Reindexing
  }
  /** Indexes your outdated documents anew, or goes on with it; costs no credits, and they stay searchable. Callers are signed-in people. */
  readonly reindexDocuments: {
    readonly response: Reindexing
  }
}
