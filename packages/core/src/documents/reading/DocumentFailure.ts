/**
 * Why a document could not be read, for programs; its `reason` says the same to people. `password`: it is locked.
 * `scan`: its pages are
 * images, without text. `no_text`: nothing in it is text. `damaged`, `incomplete`: its bytes are not what they should be.
 * `encoding`: text, but in no encoding that is known. `too_long`: more text, pages or parts than are read. `too_costly`: reading it took
 * more time or memory than a document may. `unreadable`: it was tried too often, or nothing more is known. `waiting`: its
 * owner's documents are read again later. `our_side`: the server failed, not the document.
 */
export const DOCUMENT_FAILURES = [
  "password",
  "scan",
  "no_text",
  "damaged",
  "incomplete",
  "encoding",
  "too_long",
  "too_costly",
  "unreadable",
  "waiting",
  "our_side"
] as const
export type DocumentFailure = (typeof DOCUMENT_FAILURES)[number]

/** Whether reading the same bytes again may end otherwise, now or later. */
export const mayBeReadAgain = (failure: DocumentFailure | undefined): boolean =>
  failure === "our_side" || failure === "waiting"
