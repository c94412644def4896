import type { DocumentFailure } from "@parley/core/adapter"

/** Why a document cannot be read: for programs, and as a sentence for its owner. Travels between processes as both. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
  readonly failure: DocumentFailure

  constructor(failure: DocumentFailure, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.failure = failure
  }
}
