import {
  instruments,
  type JobHandler,
  type JobKind,
  JobPlaces,
  type JobProgress,
  retryDelayMs,
  spanFrom
} from "@parley/core/adapter"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Option, Schedule, type Scope } from "effect"
import { callBoss, type JobParts, joinedDatabase } from "./startBoss.ts"
import { type Claim, JOBS_QUEUE, type SilentClaim } from "./jobSql.ts"
import type { DatabaseError } from "../database/Database.ts"
import { sendJob } from "./enqueueJob.ts"

/**
 * The outcome of a try. If a try was cut short because its worker stopped or died, the next try starts without a pause.
 */
export type TryEnd =
  | { readonly _tag: "done" | "cut-short" }
  | { readonly _tag: "failed"; readonly retryDelayMs: number }

/**
 * The text that the queue stores for every failure. The error itself is not stored, because it may contain personal
 * data; the handler logs it.
 */
const FAILED = { message: "The try failed." }

/**
 * Ends a try, and in the same transaction enqueues the job again if that was requested during the try. Does nothing if
 * the claim is lost, so that a worker that was wrongly taken for dead cannot end the try of another worker. If another
 * process ends the try because of its silence, `silentSince` is the last known heartbeat: then nothing is done if a
 * newer heartbeat exists, or if the claim is locked. Returns true if the try was ended.
 */
export const settleTry = (parts: JobParts) => {
  const { boss, owner, text, wake } = parts
  const send = sendJob(parts)
  return Effect.fnUntraced(function* (
    claim: Claim,
    end: TryEnd,
    silentSince?: string
  ): Effect.fn.Return<boolean, DatabaseError> {
    const queue = yield* boss
    const { id, kind, payload, retryCount, retryLimit, traceparent, twin } = claim
    const lock = silentSince === undefined ? text.lockClaim : text.lockSilent
    const facts = [id, retryCount, ...(silentSince === undefined ? [] : [silentSince])]
    const ended = yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        const [held] = yield* sql.query<{ again: boolean }>(lock, facts)
        if (held === undefined) return false
        const db = yield* joinedDatabase(owner)
        const tried = { id, retryCount }
        if (end._tag === "done") yield* callBoss(() => queue.complete(JOBS_QUEUE, tried, null, { db }))
        else yield* callBoss(() => queue.fail(JOBS_QUEUE, tried, FAILED, { db }))
        if (end._tag !== "done" && retryCount < retryLimit) {
          yield* sql.query(text.tryAgain, [id, end._tag === "failed" ? end.retryDelayMs : 0])
        } else if (held.again) {
          yield* send({ kind, payload, owner: claim.owner, twin, retryLimit, traceparent })
        }
        return true
      })
    )
    wake()
    return ended
  })
}

export interface JobWorkerOptions {
  readonly concurrency: number
  readonly pollingIntervalSeconds: number
  readonly stopTimeoutMs: number
}

/** The interval of a worker's heartbeats. */
const BEAT_INTERVAL = "1 second"
/**
 * The number and interval of retries to store the end of a try if the database does not answer. After these, the claim
 * expires.
 */
const SETTLE_RETRIES = { times: 20, schedule: Schedule.spaced("500 millis") }
/** Time within which interrupted tries have to end. */
const INTERRUPT_TIMEOUT_MS = 1000

/** The latest progress of a try; undefined if it is stored already. */
interface News {
  progress: JobProgress | undefined
}

/**
 * Writes heartbeats, with the progress of the try if it has changed. Returns when the claim no longer belongs to this
 * worker, because another process has taken the worker for dead and ended the try.
 */
const claimLost = (
  { owner, report, text }: JobParts,
  { id, owner: jobOwner, retryCount }: Claim,
  news: News
): Effect.Effect<void> => {
  const beat = Effect.suspend(() => {
    const { progress } = news
    news.progress = undefined
    const written = progress === undefined ? null : JSON.stringify(progress)
    return owner.execute(text.beat, [id, retryCount, jobOwner, written]).pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.catch((error) => {
        news.progress ??= progress
        return Effect.as(report(error), true)
      })
    )
  })
  return Effect.asVoid(Effect.repeat(Effect.delay(beat, BEAT_INTERVAL), { while: (held) => held }))
}

const endOf = ({ kind }: JobHandler, { retryCount }: Claim, exit: Exit.Exit<unknown, unknown>): TryEnd => {
  if (Exit.isSuccess(exit)) return { _tag: "done" }
  if (Cause.hasInterruptsOnly(exit.cause)) return { _tag: "cut-short" }
  return { _tag: "failed", retryDelayMs: retryDelayMs(kind, retryCount + 1) }
}

/** Runs a try in a span of the trace in which its job was enqueued; each retry has a span of its own. */
const inTrace = <A, E>({ kind, retryCount, traceparent }: Claim, work: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const parent = spanFrom(traceparent ?? undefined)
  return Effect.withSpan(work, `job ${kind}`, {
    kind: "consumer",
    ...(parent === undefined ? { root: true } : { parent }),
    attributes: { "parley.job.try": retryCount + 1 }
  })
}

/**
 * Runs a claimed try with heartbeats, and stores its end in the queue. An interruption reaches only the handler of the
 * job.
 */
const tryJob = (parts: JobParts) => {
  const settle = settleTry(parts)
  return (claim: Claim, handler: JobHandler): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { id, owner, payload, retried, retryCount, retryLimit } = claim
        const news: News = { progress: undefined }
        const report = (progress: JobProgress) => void (news.progress = progress)
        const tried = { id, owner, payload, retried, number: retryCount + 1, last: retryCount >= retryLimit, report }
        const work = inTrace(claim, handler.run(tried))
        const exit = yield* Effect.exit(restore(Effect.raceFirst(work, claimLost(parts, claim, news))))
        const end = endOf(handler, claim, exit)
        if (end._tag === "failed") instruments.jobFailures.record(1, { kind: claim.kind })
        yield* Effect.catch(Effect.retry(settle(claim, end), SETTLE_RETRIES), parts.report)
      })
    )
}

/** Claims the next job if a place is free and a job is waiting. */
const claimNext = ({ owner, report, text }: JobParts, taken: JobPlaces, kinds: ReadonlyArray<JobKind>) => {
  const last = kinds.filter(({ comesLast }) => comesLast === true)
  return owner.execute(text.claim, [taken.full, taken.served, tagsOf(kinds), tagsOf(last)]).pipe(
    Effect.map((rows) => rows[0] as Claim | undefined),
    Effect.catch((error) => Effect.as(report(error), undefined))
  )
}

const tagsOf = (kinds: ReadonlyArray<JobKind>): ReadonlyArray<string> => kinds.map(({ tag }) => tag)

/**
 * Runs jobs of the handlers' kinds until the scope closes. It claims jobs one by one while a place is free, each for
 * the owner whose turn it is. When the scope closes, running tries may finish within a time limit, and are then
 * interrupted.
 */
export const startWorker = (
  parts: JobParts,
  handlers: ReadonlyArray<JobHandler>,
  wakes: Set<() => void>,
  { concurrency, pollingIntervalSeconds, stopTimeoutMs }: JobWorkerOptions
): Effect.Effect<void, never, Scope.Scope> => {
  const taken = new JobPlaces(concurrency)
  const running = new Set<Fiber.Fiber<void>>()
  /** Open if there may be a job to claim. */
  const awake = Latch.makeUnsafe(true)
  const wake = () => awake.openUnsafe()
  let stopping = false
  const run = tryJob(parts)
  const byKind = new Map(handlers.map((handler) => [handler.kind.tag, handler]))
  const kinds = handlers.map(({ kind }) => kind)

  const begin = (claim: Claim) =>
    Effect.gen(function* () {
      taken.begin(claim.owner)
      const fiber = yield* Effect.forkDetach(run(claim, byKind.get(claim.kind)!))
      running.add(fiber)
      // Lets the first statement of the try run before the next claim, which would keep it waiting on an embedded
      // database.
      yield* Effect.yieldNow
      fiber.addObserver(() => {
        running.delete(fiber)
        taken.end(claim.owner)
        wake()
      })
    })

  const step = Effect.gen(function* () {
    awake.closeUnsafe()
    const claim = taken.running < concurrency ? yield* claimNext(parts, taken, kinds) : undefined
    if (claim !== undefined) return yield* begin(claim)
    if (!stopping) yield* Effect.timeoutOption(awake.await, pollingIntervalSeconds * 1000)
  })
  const loop = Effect.whileLoop({ while: () => !stopping, body: () => step, step: () => undefined })

  const stop = (looping: Fiber.Fiber<void>) =>
    Effect.gen(function* () {
      stopping = true
      wakes.delete(wake)
      wake()
      const ended = Effect.andThen(
        Fiber.await(looping),
        Effect.suspend(() => Fiber.awaitAll([...running]))
      )
      if (Option.isSome(yield* Effect.timeoutOption(ended, stopTimeoutMs))) return
      yield* Effect.timeoutOption(Fiber.interruptAll([looping, ...running]), INTERRUPT_TIMEOUT_MS)
    })

  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.suspend(() => {
        wakes.add(wake)
        return Effect.forkDetach(loop)
      }),
      stop
    )
  )
}

/** A claim is checked after its worker has missed more than two heartbeats. */
const SUSPECT_SECONDS = 2.5
/** The silence of a worker, in seconds, after which its claim may be taken over. */
const LEASE_SECONDS = 6
/** The number of consecutive checks that must find the same last heartbeat. */
const LOOKS = 3
const LOOK_INTERVAL = "1 second"
/** Milliseconds between two checks after which the later one counts as delayed. */
const LATE_MS = 3000

const keyOf = ({ id, retryCount, heartbeat }: SilentClaim): string => `${id} ${retryCount} ${heartbeat}`

/**
 * Makes a check that ends the tries of dead workers; it is repeated every second. Silence alone is no proof of death,
 * because a live worker cannot write a heartbeat while the database is down, while the row of its job is locked, or
 * while its machine is suspended. A worker counts as dead if several consecutive checks found no newer heartbeat, each
 * at a moment when the worker could have written one: the row was not locked, no check failed, and none was delayed. A
 * live worker writes a heartbeat between the first check and the last one.
 */
export const lookForDeadTries = (parts: JobParts): Effect.Effect<void, DatabaseError> => {
  const settle = settleTry(parts)
  /** The number of consecutive checks that have found a claim with this last heartbeat, by claim. */
  let seen: ReadonlyMap<string, number> = new Map()
  let lookedAt = -Infinity
  return Effect.gen(function* () {
    const before = seen
    seen = new Map()
    yield* parts.boss
    const rows: ReadonlyArray<unknown> = yield* parts.owner.execute(parts.text.silent, [SUSPECT_SECONDS])
    const silent = rows as ReadonlyArray<SilentClaim>
    const now = yield* Clock.currentTimeMillis
    const late = now - lookedAt > LATE_MS
    lookedAt = now
    const looks = new Map(silent.map((claim) => [keyOf(claim), 1 + (late ? 0 : (before.get(keyOf(claim)) ?? 0))]))
    for (const claim of silent) {
      const dead = claim.seconds >= LEASE_SECONDS && (looks.get(keyOf(claim)) ?? 0) >= LOOKS
      if (dead) yield* settle(claim, { _tag: "cut-short" }, claim.heartbeat)
    }
    seen = looks
  })
}

/** Repeats the check for dead workers for ever. It ends a try about seven seconds after the worker's last heartbeat. */
export const takeOverDeadTries = (parts: JobParts): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.catch(lookForDeadTries(parts), parts.report), Effect.sleep(LOOK_INTERVAL)))

const DAY_SECONDS = 24 * 60 * 60
/** The seconds for which a job is stored after its end: if it is done, and if it has failed. */
const KEPT_SECONDS = [DAY_SECONDS, 30 * DAY_SECONDS]
const FORGETTING = Schedule.jittered(Schedule.spaced("5 minutes"))

/** Repeatedly deletes jobs that ended long ago, for ever. */
export const forgetOldJobs = ({ boss, owner, report, text }: JobParts): Effect.Effect<unknown> =>
  Effect.andThen(boss, owner.execute(text.forget, KEPT_SECONDS)).pipe(Effect.catch(report), Effect.repeat(FORGETTING))
