import type { DocumentKey } from "../Document.ts"

/** What an indexing was made by. Where any of it is another today, the document is to be indexed anew. */
export interface IndexedBy {
  /** The version of the parser that read the text; undefined where it has none. */
  readonly parser: string | undefined
  /** How texts become passages and terms, `INDEXING_VERSION` then; undefined where it is not known. */
  readonly version: number | undefined
  /** The embedder's name and dimensions; undefined where there are no embeddings. */
  readonly embedder: string | undefined
}

/** What is known of a document's active generation. */
export interface Indexing extends DocumentKey, IndexedBy {
  readonly passages: number
  /** When it became active: compares with other moments of the same storage only. */
  readonly activatedAt: number | undefined
}

export const isIndexedBy = (found: IndexedBy, wanted: IndexedBy): boolean =>
  found.parser === wanted.parser && found.version === wanted.version && found.embedder === wanted.embedder
