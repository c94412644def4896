import { Context } from "effect"
import { type DocumentType, PARSED_DOCUMENT_TYPES } from "../documentTypes.ts"

/** The size and the types of files that may be uploaded. */
export interface UploadLimitsData {
  readonly maxBytes: number
  readonly types: ReadonlyArray<DocumentType>
}

/** The limits in force: 20 MiB of any type there is a parser for unless configured. */
export class UploadLimits extends Context.Reference<UploadLimitsData>("@parley/core/documents/UploadLimits", {
  defaultValue: () => ({ maxBytes: 20 * 1024 * 1024, types: PARSED_DOCUMENT_TYPES })
}) {}
