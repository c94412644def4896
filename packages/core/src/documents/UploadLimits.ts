import { Context } from "effect"
import type { DocumentType } from "./Document.ts"

/** What may be uploaded. */
export interface UploadLimitsData {
  readonly maxBytes: number
  readonly types: ReadonlyArray<DocumentType>
}

/** The limits in force: 20 MiB of pdf, docx, md or txt unless configured. */
export class UploadLimits extends Context.Reference<UploadLimitsData>("@parley/core/documents/UploadLimits", {
  defaultValue: () => ({ maxBytes: 20 * 1024 * 1024, types: ["pdf", "docx", "md", "txt"] })
}) {}
