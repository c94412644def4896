import { Schema } from "effect"
import type { Document, Passage } from "../../documents/Document.ts"
import { DOCUMENT_TYPES } from "../../documents/documentTypes.ts"

/** A time in the form of ISO 8601, for example `2026-01-31T09:00:00Z`; a date alone is its first moment in UTC. */
const Moment = Schema.String.check(
  Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)) || "Expected a time like 2026-01-31T09:00:00Z")
)

/** Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold. */
export const DocumentFilter = Schema.Struct({
  types: Schema.optionalKey(Schema.Array(Schema.Literals(DOCUMENT_TYPES))),
  /** The upload was at this time or later. */
  uploadedAfter: Schema.optionalKey(Moment),
  /** The upload was before this time. */
  uploadedBefore: Schema.optionalKey(Moment),
  /** Only passages below or beginning a heading that contains this text, in any case. */
  heading: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a text that is not blank"))
  )
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

/** True if a passage is below the heading of the filter, or if there is none. */
export const isUnderHeading = ({ heading }: DocumentFilter, { headings = [] }: Pick<Passage, "headings">): boolean => {
  if (heading === undefined) return true
  const wanted = heading.trim().toLowerCase()
  return headings.some(({ title }) => title.toLowerCase().includes(wanted))
}
