import { Context, Effect, Layer, Schema } from "effect"
import type { ActionAsked } from "../../../audit/ActionAsked.ts"
import { AuditLog } from "../../../audit/AuditLog.ts"
import type { UserId } from "../../../identity/UserId.ts"
import { jobKind, type JobProgress } from "../../../jobs/JobKind.ts"
import { JobQueue } from "../../../jobs/JobQueue.ts"
import { JOB_STATES, type JobState } from "../../../jobs/JobRecord.ts"
import { ownCursor } from "../../../storage/Cursor.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import { UnitOfWork } from "../../../storage/UnitOfWork.ts"
import { embeddingModel } from "../../embedding/embedPassages.ts"
import { type IndexedBy, isIndexedBy } from "../PassageIndex.ts"
import { makeParts } from "./reindexParts.ts"
import { type IndexedAlike, type ReindexFailure, ReindexRecords } from "./ReindexRecords.ts"
import { sampleOutdated } from "./reindexTurn.ts"

/** Re-indexes the outdated documents of the job's owner, one turn at a time. Each person has at most one such job. */
export const ReindexDocuments = jobKind("ReindexDocuments", {
  comesLast: true,
  payload: Schema.Struct({}),
  tries: 3,
  retryDelayMs: { first: 5_000, longest: 60_000 },
  timeLimitMs: 15 * 60_000,
  twinKey: () => ""
})

/**
 * Starts `ReindexDocuments` for every person with outdated documents. The owner of this job is the operator who
 * requested it.
 */
export const ReindexEveryone = jobKind("ReindexEveryone", {
  comesLast: true,
  payload: Schema.Struct({}),
  tries: 3,
  retryDelayMs: { first: 5_000, longest: 60_000 },
  timeLimitMs: 15 * 60_000,
  twinKey: () => ""
})

/** The numbers of ready documents, and of those whose indexing differs from the present configuration. */
export interface IndexingState {
  /** The number of ready documents; `passages` is that of their passages. */
  readonly documents: number
  readonly passages: number
  /** The number of documents indexed with another embedder, parser or version of indexing. */
  readonly outdated: number
  readonly outdatedPassages: number
  /** The number of outdated documents that could not be re-indexed. */
  readonly failed: number
}

/** The state of re-indexing as the owner of the documents sees it. */
export interface PersonReindexing extends IndexingState {
  /** `stopped`: the work ended before the last document, because of a failure that no document caused. */
  readonly work: "none" | "waiting" | "running" | "stopped"
  /** The number of passages of outdated documents that are already written. */
  readonly passagesInWork: number
  readonly failures: ReadonlyArray<ReindexFailure>
}

/** Outdated documents that were indexed with the same versions, and the present versions. */
export interface OutdatedAlike extends IndexedAlike {
  readonly today: IndexedBy
}

/** The state of re-indexing over all people. */
export interface EveryonesReindexing extends IndexingState {
  readonly groups: ReadonlyArray<OutdatedAlike>
  /** The number of people's jobs in each state; counts stop at `JOBS_COUNTED`. */
  readonly jobs: Readonly<Record<Exclude<JobState, "done">, number>>
  /** The people whose re-indexing stopped, within the counted jobs. */
  readonly stopped: ReadonlyArray<UserId>
  /** The first failures. */
  readonly failures: ReadonlyArray<ReindexFailure>
}

/** The estimated work of re-indexing. */
export interface IndexingEstimate extends IndexingState {
  /**
   * The approximate number of tokens that would be sent to the embedder; undefined if the sample of documents is too
   * small.
   */
  readonly tokens: number | undefined
  /** The embedder's name and dimensions; undefined if there are no embeddings. */
  readonly embedder: string | undefined
  /** The embedder's price in US dollars per million tokens; undefined if it is unknown. */
  readonly usdPerMillionTokens: number | undefined
}

/** The maximum count of jobs. */
export const JOBS_COUNTED = 100
const FAILURES_LISTED = 100

/** The stage of a job's progress while its turn counts passages. */
const IN_WORK = "indexing"
export const turnProgress = (done: number, of: number): JobProgress => ({ stage: IN_WORK, done, of })

const stateOf = (groups: ReadonlyArray<IndexedAlike>, isOutdated: (group: IndexedAlike) => boolean): IndexingState => {
  const state = { documents: 0, passages: 0, outdated: 0, outdatedPassages: 0, failed: 0 }
  for (const group of groups) {
    state.documents += group.documents
    state.passages += group.passages
    if (!isOutdated(group)) continue
    state.outdated += group.documents
    state.outdatedPassages += group.passages
    if (group.failed) state.failed += group.documents
  }
  return state
}

/**
 * Starts the re-indexing of outdated documents as queued work, and reports on it. Searches use a document's old index
 * until its new one is complete. A document that fails keeps its old index, and is tried again with the next start.
 * Embeddings that were paid for are kept if the work is interrupted.
 */
export class Reindexing extends Context.Service<
  Reindexing,
  {
    ofPerson(userId: UserId): Effect.Effect<PersonReindexing, StorageFailed>
    readonly ofEveryone: Effect.Effect<EveryonesReindexing, StorageFailed>
    /** Estimates the work from a sample, for a person or for all people; calls no provider and writes nothing. */
    estimate(userId: UserId | undefined): Effect.Effect<IndexingEstimate, StorageFailed>
    /**
     * Starts or continues the re-indexing of a person's outdated documents, including failed ones. `asked` is given if
     * an operator requests it.
     */
    start(userId: UserId, asked?: ActionAsked): Effect.Effect<void, StorageFailed>
    /** Starts the re-indexing of the outdated documents of all people. */
    startEveryone(operator: UserId, asked: ActionAsked): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/documents/reindexing/Reindexing") {
  static readonly layer = Layer.effect(
    Reindexing,
    Effect.suspend(() => make)
  )
}

/**
 * Makes the starts for people and for operators; each start by an operator is written in one transaction with its entry
 * in the audit log.
 */
const makeStarts = Effect.gen(function* () {
  const audit = yield* AuditLog
  const jobs = yield* JobQueue
  const records = yield* ReindexRecords
  const unitOfWork = yield* UnitOfWork
  const enter = (asked: ActionAsked, userId: UserId | undefined) =>
    audit.record({ action: "reindex", details: "", userId, ...asked, reason: asked.reason })
  return {
    start: Effect.fn("Reindexing.start")((userId: UserId, asked?: ActionAsked) =>
      unitOfWork.run(
        userId,
        Effect.gen(function* () {
          yield* records.forget(userId)
          yield* jobs.enqueue(userId, ReindexDocuments, {})
          if (asked !== undefined) yield* enter(asked, userId)
        })
      )
    ),
    startEveryone: Effect.fn("Reindexing.startEveryone")((operator: UserId, asked: ActionAsked) =>
      unitOfWork.run(operator, Effect.andThen(jobs.enqueue(operator, ReindexEveryone, {}), enter(asked, undefined)))
    )
  }
})

const make = Effect.gen(function* () {
  const parts = yield* makeParts
  const jobs = yield* JobQueue
  const records = yield* ReindexRecords
  const { embedder } = parts.passages
  const isOutdated = (group: IndexedAlike) => !isIndexedBy(group, parts.wanted(group.type))
  const { tag: kind } = ReindexDocuments

  const latestJob = (userId: UserId) =>
    Effect.map(ownCursor(jobs.list(userId, { kind, limit: 1 })), ({ jobs: [latest] }) => latest)

  const ofPerson = Effect.fn("Reindexing.ofPerson")(function* (userId: UserId) {
    const state = stateOf(yield* records.standing(userId), isOutdated)
    const job = yield* latestJob(userId)
    const failures = yield* records.failures({ userId, limit: FAILURES_LISTED })
    const isLeft = state.outdated > state.failed
    const work = job?.state === "failed" ? (isLeft ? "stopped" : "none") : job?.state === "done" ? "none" : job?.state
    const passagesInWork = job?.progress?.stage === IN_WORK ? job.progress.done : 0
    return { ...state, work: work ?? "none", passagesInWork, failures } satisfies PersonReindexing
  })

  const ofEveryone = Effect.gen(function* () {
    const groups = yield* records.standing(undefined)
    const open = JOB_STATES.filter((state) => state !== "done")
    const listed = yield* Effect.forEach(open, (state) =>
      ownCursor(jobs.list(undefined, { kind, state, limit: JOBS_COUNTED }))
    )
    // The queue lists a failed job for a month, even if a later job has succeeded.
    const failed = new Set(listed[open.indexOf("failed")]?.jobs.map(({ owner }) => owner))
    const counted = Object.fromEntries(open.map((state, place) => [state, listed[place]?.jobs.length ?? 0]))
    return {
      ...stateOf(groups, isOutdated),
      groups: groups.filter(isOutdated).map((group) => ({ ...group, today: parts.wanted(group.type) })),
      jobs: counted as EveryonesReindexing["jobs"],
      stopped: yield* Effect.filter([...failed], (owner) =>
        Effect.map(latestJob(owner), (job) => job?.state === "failed")
      ),
      failures: yield* records.failures({ userId: undefined, limit: FAILURES_LISTED })
    } satisfies EveryonesReindexing
  })

  const estimate = Effect.fn("Reindexing.estimate")(function* (userId: UserId | undefined) {
    const state = stateOf(yield* records.standing(userId), isOutdated)
    const { passages, tokens } = yield* sampleOutdated(parts, userId)
    const isKnown = embedder === undefined || state.outdated === 0 || passages > 0
    return {
      ...state,
      tokens: isKnown ? Math.round((tokens * state.outdatedPassages) / Math.max(1, passages)) : undefined,
      embedder: embedder && embeddingModel(embedder),
      usdPerMillionTokens: embedder === undefined ? 0 : embedder.usdPerMillionTokens
    } satisfies IndexingEstimate
  })
  return Reindexing.of({ ...(yield* makeStarts), ofPerson, ofEveryone, estimate })
})
