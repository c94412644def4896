/** What reading one document may cost. A document that needs more is unreadable, with a reason that names the limit. */
export interface ParserLimits {
  /** Documents read at once, each in a process of its own; others wait. */
  readonly processes: number
  /** Time to read one document, waiting not counted. */
  readonly maxMilliseconds: number
  /** Resident memory of the process that reads, everything included. */
  readonly maxMemoryBytes: number
  /** Pages of a pdf. */
  readonly maxPages: number
  /** Entries in a docx, which is a zip archive. */
  readonly maxEntries: number
  /** All entries of a docx together, inflated. */
  readonly maxInflatedBytes: number
  /** Inflated size over packed size of a docx whose entries exceed 8 MiB. */
  readonly maxInflationRatio: number
  /** Length of the text, in UTF-16 units. */
  readonly maxTextLength: number
  /** How long an idle process is kept for the next document. */
  readonly idleMilliseconds: number
}

const MEBIBYTE = 1024 * 1024

export const DEFAULT_PARSER_LIMITS: ParserLimits = {
  processes: 2,
  maxMilliseconds: 60_000,
  maxMemoryBytes: 768 * MEBIBYTE,
  maxPages: 5_000,
  maxEntries: 2_000,
  maxInflatedBytes: 128 * MEBIBYTE,
  maxInflationRatio: 250,
  maxTextLength: 20 * MEBIBYTE,
  idleMilliseconds: 30_000
}
