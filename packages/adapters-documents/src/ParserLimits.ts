/**
 * The limits for reading one document. A document that exceeds one of them is unreadable, with a reason that names the
 * limit.
 */
export interface ParserLimits {
  /**
   * The most documents that are read at the same time, each in a process of its own; others wait. If there are several
   * places, one person's documents never take all of them.
   */
  readonly processes: number
  /** Time limit for the smallest document, without its wait for a process. */
  readonly baseMilliseconds: number
  /** Additional time for each further mebibyte of a document. */
  readonly millisecondsPerMebibyte: number
  /** Time limit for a document of any size. */
  readonly maxMilliseconds: number
  /** The most resident memory of the whole process that reads a document. */
  readonly maxMemoryBytes: number
  /** The most pages of a PDF, or slides of a presentation. */
  readonly maxPages: number
  /** The most pages of a scan on which text is recognised, if text recognition is configured. */
  readonly maxScannedPages: number
  /** The most pixels of a picture on which text is recognised. */
  readonly maxPixels: number
  /** The most entries of a docx, xlsx or pptx file, which are zip archives. */
  readonly maxEntries: number
  /** The most bytes of all inflated entries of such an archive together. */
  readonly maxInflatedBytes: number
  /** The highest ratio of inflated size to packed size of such an archive, if its inflated entries exceed 8 MiB. */
  readonly maxInflationRatio: number
  /** The most UTF-16 units of a document's text. */
  readonly maxTextLength: number
  /** Time for which an idle process is kept for a next document. */
  readonly idleMilliseconds: number
}

const MEBIBYTE = 1024 * 1024

export const DEFAULT_PARSER_LIMITS: ParserLimits = {
  processes: 2,
  baseMilliseconds: 15_000,
  millisecondsPerMebibyte: 10_000,
  maxMilliseconds: 60_000,
  maxMemoryBytes: 768 * MEBIBYTE,
  maxPages: 5_000,
  maxScannedPages: 200,
  maxPixels: 50_000_000,
  maxEntries: 2_000,
  maxInflatedBytes: 128 * MEBIBYTE,
  maxInflationRatio: 250,
  maxTextLength: 20 * MEBIBYTE,
  idleMilliseconds: 30_000
}
