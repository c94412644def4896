import { Clock, Effect } from "effect"
import { RateLimiter } from "../../limits/RateLimiter.ts"
import { momentOf } from "../../storage/spokenNumbers.ts"
import type { Document } from "../Document.ts"
import { DocumentUnreadable } from "./DocumentParser.ts"
import { ReadingLimits } from "./ReadingLimits.ts"
import { sha256 } from "../../secrets/sha256.ts"

const SENTENCES = {
  content: (when: string) =>
    `Reading this file took more time or memory than a document may. The same file is not read again before ${when}. Split it, or save it in a simpler form, and upload the new file.`,
  document: (when: string) =>
    `This document was tried several times and could not be read. It is not tried again before ${when}. Repair the file and upload the new one.`,
  person: (when: string) =>
    `Too many of your documents took more time or memory than a document may. Your documents are read again after ${when}: try this one again then.`
}

/** A document about to be read. */
export interface Reading {
  readonly document: Pick<Document, "id" | "type" | "userId">
  readonly bytes: Uint8Array
  /** The job's last try: those before it ended without a verdict, as where a server died over the document. */
  readonly last: boolean
}

/**
 * What failed tries at reading cost: contents that exceeded a bound are not read again for any owner, a document that
 * could not be read and a person whose documents exceed bounds are not tried without end. Counted by the `RateLimiter`,
 * so that it holds for all servers; a document that is read leaves nothing behind.
 */
export const makeReadingTries = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const { triesPerDocument, exhaustingPerPerson, windowMs } = yield* ReadingLimits

  const eventsOf = (content: string, { id, type, userId }: Reading["document"]) =>
    [
      {
        subject: `${type} ${content}`,
        name: "exhausting-content",
        limit: 1,
        sentence: SENTENCES.content,
        failure: "too_costly"
      },
      {
        subject: id,
        name: "unreadable-document",
        limit: triesPerDocument,
        sentence: SENTENCES.document,
        failure: "unreadable"
      },
      {
        subject: userId,
        name: "exhausting-documents",
        limit: exhaustingPerPerson,
        sentence: SENTENCES.person,
        failure: "waiting"
      }
    ] as const

  /** Runs `read` unless too much failed before; counts its failure. A refusal is `DocumentUnreadable` as well. */
  return <A, E, R>({ document, bytes, last }: Reading, read: Effect.Effect<A, E | DocumentUnreadable, R>) =>
    Effect.gen(function* () {
      const events = eventsOf(yield* sha256(bytes), document)
      for (const { failure, limit, name, sentence, subject } of events) {
        const { count, remainingMs } = yield* limiter.peek({ subject, name })
        if (count < limit) continue
        const now = yield* Clock.currentTimeMillis
        return yield* new DocumentUnreadable({ reason: sentence(momentOf(now + remainingMs)), failure })
      }
      const [content, tries, person] = events
      const count = ({ subject, name }: (typeof events)[number]) => limiter.count({ subject, name, windowMs })
      // Counted before: a try that ends with its server leaves no verdict.
      if (last) yield* count(tries)
      return yield* Effect.tapErrorTag(
        read as Effect.Effect<A, DocumentUnreadable, R>,
        "DocumentUnreadable",
        Effect.fnUntraced(function* ({ exhausting }) {
          if (!last) yield* count(tries)
          if (exhausting !== true) return
          yield* count(content)
          yield* count(person)
        })
      )
    })
})
