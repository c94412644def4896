import { Clock, Effect } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import { estimateDocument } from "./estimateReindex.ts"
import { visitOutstanding } from "./outstanding.ts"
import { ProviderPatience } from "./ProviderPatience.ts"
import type { Parts } from "./reindexParts.ts"
import type { ReindexRecords } from "./ReindexRecords.ts"
import { type ReindexProgress, runReindex } from "./runReindex.ts"

/**
 * With this start, every document whose versions differ from the present ones is outdated, even if it was indexed
 * recently.
 */
const OUTDATED = { begunAt: Number.NEGATIVE_INFINITY } as const

export interface TurnInput {
  readonly userId: UserId
  /** A UUID that identifies this turn. */
  readonly holder: string
  readonly onProgress: (progress: ReindexProgress) => Effect.Effect<void>
}

/** The result of a turn. */
export interface Turn {
  /** The reason why no further document can be done now; undefined if there is none. */
  readonly stopped: string | undefined
  /** True if every outdated document of the person is done or has failed. */
  readonly isOver: boolean
}

/** Milliseconds after which a turn starts no further document. */
const TURN_MS = 10_000
/** The number of documents that a turn works on at the same time. */
const AT_ONCE = 2

/** Takes one turn over the outdated documents of a person, without those that failed before. */
export const takeTurn = Effect.fnUntraced(function* (
  parts: Parts,
  records: ReindexRecords["Service"],
  { holder, onProgress, userId }: TurnInput
) {
  const failures = yield* records.failures({ userId, limit: Number.MAX_SAFE_INTEGER })
  const skipped = new Set(failures.map(({ documentId }) => documentId))
  const { left, stopped, undone } = yield* runReindex(
    { ...parts, scope: { userId }, ...OUTDATED, skipped, patience: new ProviderPatience(), holder },
    { atOnce: AT_ONCE, continued: true, onProgress, endAt: (yield* Clock.currentTimeMillis) + TURN_MS }
  )
  return { stopped, isOver: stopped === undefined && left === undone.length } satisfies Turn
})

/** The number of passages whose tokens are counted for an estimate. */
const SAMPLE = 500
/** The maximum number of pages of documents that are read for the sample. */
const SAMPLED_PAGES = 20

/** The work in a sample of documents, from which the work in all documents is estimated. */
export interface WorkSample {
  readonly passages: number
  /** The number of tokens in those passages that need a new embedding. */
  readonly tokens: number
}

/**
 * Counts the work in the first outdated documents of a person, or of all people; calls no provider and writes nothing.
 */
export const sampleOutdated = Effect.fnUntraced(function* (parts: Parts, userId: UserId | undefined) {
  const outstanding = { ...parts, ...OUTDATED, scope: { userId } }
  const sample = { passages: 0, tokens: 0 }
  let pages = 0
  yield* visitOutstanding(outstanding, (page) =>
    Effect.gen(function* () {
      pages += 1
      for (const each of page) {
        if (sample.passages >= SAMPLE) return "enough"
        const { passages, tokens } = yield* estimateDocument(outstanding, each, parts.passages.embedder)
        sample.passages += passages
        sample.tokens += tokens
      }
      return pages < SAMPLED_PAGES ? undefined : "enough"
    })
  )
  return sample satisfies WorkSample
})
