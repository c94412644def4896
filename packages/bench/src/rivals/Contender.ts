import type { BenchDocument } from "./corpus.ts"

export interface ContenderSearch {
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

/** A store of passages and their vectors that searches within named documents, used as its own manual recommends. */
export interface Contender {
  readonly name: string
  /** Stores the row of a document, if the contender stores documents. */
  upload?(document: BenchDocument): Promise<void>
  /** Stores a document's passages, all in one call. */
  ingest(document: BenchDocument): Promise<void>
  /** Returns the texts of the found passages, the best first. */
  search(input: ContenderSearch): Promise<ReadonlyArray<string>>
  close(): Promise<void>
}

export interface OpenContender {
  /** The URL of an empty database for this contender alone. */
  readonly url: string
  readonly dimensions: number
  /** The folder in which the libraries are installed. */
  readonly rivals: string
}
