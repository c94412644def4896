import { Clock, Effect } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import { estimateDocument } from "./estimateReindex.ts"
import { visitOutstanding } from "./outstanding.ts"
import { ProviderPatience } from "./ProviderPatience.ts"
import type { Parts } from "./reindexParts.ts"
import type { ReindexRecords } from "./ReindexRecords.ts"
import { type ReindexProgress, runReindex } from "./runReindex.ts"

/** Makes every indexing outdated that differs from the present configuration, however late it became active. */
const OUTDATED = { begunAt: Number.NEGATIVE_INFINITY } as const

export interface TurnInput {
  readonly userId: UserId
  /** A UUID of this turn. */
  readonly holder: string
  readonly onProgress: (progress: ReindexProgress) => Effect.Effect<void>
}

/** The end of a turn. */
export interface Turn {
  /** Why nothing more can be done now. */
  readonly stopped: string | undefined
  /** Every outdated document of the person is done or has failed. */
  readonly isOver: boolean
}

/** Time after which a turn begins no further document. */
const TURN_MS = 10_000
/** Documents that a turn works on at once. */
const AT_ONCE = 2

/** One turn over the outdated documents of a person, without those that failed. */
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

/** Passages whose tokens are counted for an estimate. */
const SAMPLE = 500
/** Pages of documents that an estimate looks through for them. */
const SAMPLED_PAGES = 20

/** Work in documents that stands for that in all others. */
export interface WorkSample {
  readonly passages: number
  /** Tokens of those passages that need a new embedding. */
  readonly tokens: number
}

/** Counts the work in the first outdated documents of a person, or of all people; asks no provider, writes nothing. */
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
