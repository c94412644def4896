import { Context } from "effect"

/** How often reading may fail before it is not tried again for a while. */
export interface ReadingLimitsData {
  /** Tries of one document that ended as unreadable. */
  readonly triesPerDocument: number
  /** Documents of one person whose reading exceeded a bound of time or memory. */
  readonly exhaustingPerPerson: number
  /** Milliseconds after which what failed is forgotten, counted from the first failure. */
  readonly windowMs: number
}

/** The limits in force: 5 tries of a document and 20 exhausting documents of a person a day, unless configured. */
export class ReadingLimits extends Context.Reference<ReadingLimitsData>("@parley/core/documents/ReadingLimits", {
  defaultValue: () => ({ triesPerDocument: 5, exhaustingPerPerson: 20, windowMs: 24 * 60 * 60 * 1000 })
}) {}
