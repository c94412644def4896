import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"
import { DOCUMENT_TYPES, PARSED_DOCUMENT_TYPES } from "../documentTypes.ts"

/** The size and the types of files that may be uploaded. */
export const UploadLimitsData = Schema.Struct({
  maxBytes: whole(1, 1024 ** 3),
  types: Schema.Array(Schema.Literals(DOCUMENT_TYPES))
})
export type UploadLimitsData = typeof UploadLimitsData.Type

/** The limits in force: 20 MiB of any type there is a parser for unless configured. */
export class UploadLimits extends Context.Reference<UploadLimitsData>("@parley/core/documents/UploadLimits", {
  defaultValue: () => ({ maxBytes: 20 * 1024 * 1024, types: PARSED_DOCUMENT_TYPES })
}) {}
