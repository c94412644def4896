import type { DocumentFailure } from "@parley/core/adapter"

/**
 * The reason why a document cannot be read, as a code for programs and as a sentence for the document's owner. Both are
 * sent from the parser process to the server.
 */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
  readonly failure: DocumentFailure

  constructor(failure: DocumentFailure, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.failure = failure
  }
}
