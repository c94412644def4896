import type { BenchDocument } from "./corpus.ts"

export interface ContenderSearch {
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

/** What keeps passages with their vectors and searches within documents named, each as its own manual says. */
export interface Contender {
  readonly name: string
  /** Stores that there is a document, where the contender keeps such a thing beside passages. */
  upload?(document: BenchDocument): Promise<void>
  /** Stores a document's passages, all in one call. */
  ingest(document: BenchDocument): Promise<void>
  /** The texts of what is found, best first. */
  search(input: ContenderSearch): Promise<ReadonlyArray<string>>
  close(): Promise<void>
}

export interface OpenContender {
  /** An empty database of its own. */
  readonly url: string
  readonly dimensions: number
  /** Where the other libraries are installed. */
  readonly rivals: string
}
