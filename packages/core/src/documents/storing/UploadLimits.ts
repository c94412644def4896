import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"
import { fromVariable } from "../../storage/settingVariables.ts"
import { DOCUMENT_TYPES, PARSED_DOCUMENT_TYPES } from "../documentTypes.ts"

const MAX_BYTES = 1024 ** 3

/** The size and the types of files that may be uploaded. */
export const UploadLimitsData = Schema.Struct({
  maxBytes: fromVariable(whole(1, MAX_BYTES), {
    name: "PARLEY_UPLOAD_MAX_BYTES",
    minimum: 1,
    maximum: MAX_BYTES,
    unit: 1
  }),
  types: fromVariable(Schema.Array(Schema.Literals(DOCUMENT_TYPES)), {
    name: "PARLEY_UPLOAD_TYPES",
    choices: DOCUMENT_TYPES
  })
})
export type UploadLimitsData = typeof UploadLimitsData.Type

/** The limits in force: unless configured, 20 MiB, and all types that have a parser. */
export class UploadLimits extends Context.Reference<UploadLimitsData>("@parley/core/documents/UploadLimits", {
  defaultValue: () => ({ maxBytes: 20 * 1024 * 1024, types: PARSED_DOCUMENT_TYPES })
}) {}
