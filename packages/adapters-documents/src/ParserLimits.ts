/**
 * The limits of reading one document. A document that exceeds one is unreadable, with a reason that names the limit.
 */
export interface ParserLimits {
  /** Documents read at once, each in a process of its own; others wait. One person's never take the last of several. */
  readonly processes: number
  /** Time to read the smallest document, waiting for a process not counted. */
  readonly baseMilliseconds: number
  /** Additional time for each further mebibyte. */
  readonly millisecondsPerMebibyte: number
  /** Time to read one document of any size. */
  readonly maxMilliseconds: number
  /** Resident memory of the process that reads, everything included. */
  readonly maxMemoryBytes: number
  /** Pages of a pdf, slides of a presentation. */
  readonly maxPages: number
  /** Pages of a scan whose text is recognised, if text recognition is configured. */
  readonly maxScannedPages: number
  /** Pixels of a picture whose text is recognised. */
  readonly maxPixels: number
  /** Entries in a docx, xlsx or pptx, which are zip archives. */
  readonly maxEntries: number
  /** Inflated size of all entries of such an archive together, in bytes. */
  readonly maxInflatedBytes: number
  /** Inflated size over packed size of such an archive whose entries exceed 8 MiB. */
  readonly maxInflationRatio: number
  /** Length of the text, in UTF-16 units. */
  readonly maxTextLength: number
  /** Time for which an idle process is kept for the next document. */
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
