import { Schema } from "effect"
import type { Document, Passage } from "../../documents/Document.ts"
import { DOCUMENT_TYPES } from "../../documents/documentTypes.ts"

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** `Date.parse` takes days that a month does not have for days of the next one. */
const isMoment = (text: string): boolean => {
  const [, year, month, day] = MOMENT.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || Number.isNaN(Date.parse(text))) return false
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

/** A time in the form of ISO 8601 with its zone, for example `2026-01-31T09:00:00Z`; a date alone is its first moment in UTC. */
const momentOf = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.makeFilter((text: string) => isMoment(text) || "Expected a time like 2026-01-31T09:00:00Z")
  )

/** Longer than any stored title. */
const MAX_HEADING = 200

/** Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold. */
export const DocumentFilter = Schema.Struct({
  types: Schema.optionalKey(
    Schema.Array(Schema.Literals(DOCUMENT_TYPES)).annotate({ description: "Only documents of these types." })
  ),
  uploadedAfter: Schema.optionalKey(momentOf("Only documents that were uploaded at this time or later.")),
  uploadedBefore: Schema.optionalKey(momentOf("Only documents that were uploaded before this time.")),
  heading: Schema.optionalKey(
    Schema.String.annotate({
      description: "Only passages below or beginning a heading that contains this text, in any case."
    }).check(
      Schema.makeFilter(
        (text: string) =>
          (text.trim() !== "" && text.length <= MAX_HEADING) ||
          `Expected a text of at most ${MAX_HEADING} characters that is not blank`
      )
    )
  )
}).annotate({
  identifier: "DocumentFilter",
  description:
    "Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold."
})
export type DocumentFilter = typeof DocumentFilter.Type

/** True if a document fulfils the conditions on documents. */
export const admitsDocument = (
  { types, uploadedAfter, uploadedBefore }: DocumentFilter,
  { createdAt, type }: Document
): boolean =>
  (types === undefined || types.includes(type)) &&
  (uploadedAfter === undefined || createdAt >= Date.parse(uploadedAfter)) &&
  (uploadedBefore === undefined || createdAt < Date.parse(uploadedBefore))

/** Returns whether passages are below the heading of the filter; all are if it has none. */
export const underHeading = ({ heading }: DocumentFilter): ((passage: Pick<Passage, "headings">) => boolean) => {
  if (heading === undefined) return () => true
  const wanted = heading.trim().toLowerCase()
  return ({ headings = [] }) => headings.some(({ title }) => title.toLowerCase().includes(wanted))
}
