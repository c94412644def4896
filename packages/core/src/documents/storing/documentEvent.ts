import type { EventDraft } from "../../events/ParleyEvent.ts"
import type { Document } from "../Document.ts"

/** What is told of a document that has just come to its state, at a moment in Unix milliseconds; undefined while it is read. */
export const documentEvent = (
  { filename, id, passages, pages, reasonCode, status, userId }: Document,
  at: number
): EventDraft | undefined => {
  const about = { account: userId, documentId: id, filename }
  if (status === "failed") {
    return { type: "document.failed", at, data: reasonCode === undefined ? about : { ...about, reason: reasonCode } }
  }
  if (status !== "ready") return undefined
  // Null where the type has no pages.
  const counted = { ...(typeof pages === "number" && { pages }), ...(passages !== undefined && { passages }) }
  return { type: "document.ready", at, data: { ...about, ...counted } }
}
