import type { BenchDocument } from "./corpus.ts"

export interface ContenderSearch {
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

/** A store of passages with their vectors that searches within named documents, used according to its own manual. */
export interface Contender {
  readonly name: string
  /** Stores the document's row, if the contender has rows for documents. */
  upload?(document: BenchDocument): Promise<void>
  /** Stores a document's passages, all in one call. */
  ingest(document: BenchDocument): Promise<void>
  /** The texts of the found passages, best first. */
  search(input: ContenderSearch): Promise<ReadonlyArray<string>>
  close(): Promise<void>
}

export interface OpenContender {
  /** A database of its own, empty. */
  readonly url: string
  readonly dimensions: number
  /** The folder with the installed libraries. */
  readonly rivals: string
}
