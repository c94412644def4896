import { type JobHandler, type JobProgress, retryDelayMs, JobPlaces } from "@parley/core/adapter"
import { Cause, Effect, Exit, Fiber, Latch, Option, Schedule, type Scope } from "effect"
import type { JobParts } from "./jobParts.ts"
import type { Claim } from "./jobSql.ts"
import { settleTry, type TryEnd } from "./settleTry.ts"

export interface JobWorkerOptions {
  readonly concurrency: number
  readonly pollingIntervalSeconds: number
  readonly stopTimeoutMs: number
}

/** How often a worker says that it lives. */
const BEAT_INTERVAL = "1 second"
/** How long the end of a try is told to a database that does not answer; afterwards the claim lapses. */
const SETTLE_RETRIES = { times: 20, schedule: Schedule.spaced("500 millis") }
/** How long interrupted tries may still take. */
const INTERRUPT_TIMEOUT_MS = 1000

/** The latest word of a try on its progress; undefined where the database has it already. */
interface News {
  progress: JobProgress | undefined
}

/**
 * Gives signs of life, with the try's progress where there is news. Ends when the claim is no longer this worker's: its
 * job was ended by somebody who took the worker for dead.
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

/** Runs a claimed try with signs of life, and tells the queue how it ended. Interrupted, it interrupts the handler only. */
const tryJob = (parts: JobParts) => {
  const settle = settleTry(parts)
  return (claim: Claim, handler: JobHandler): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { id, owner, payload, retried, retryCount, retryLimit } = claim
        const news: News = { progress: undefined }
        const report = (progress: JobProgress) => void (news.progress = progress)
        const tried = { id, owner, payload, retried, number: retryCount + 1, last: retryCount >= retryLimit, report }
        const exit = yield* Effect.exit(restore(Effect.raceFirst(handler.run(tried), claimLost(parts, claim, news))))
        yield* Effect.catch(Effect.retry(settle(claim, endOf(handler, claim, exit)), SETTLE_RETRIES), parts.report)
      })
    )
}

/**
 * Works on jobs of the handlers' kinds until the scope closes: claims them one by one, each for the owner whose turn it is, as long as there
 * is a place. Closing lets the tries that run finish, within the bound, and interrupts them then.
 */
export const startWorker = (
  parts: JobParts,
  handlers: ReadonlyArray<JobHandler>,
  wakes: Set<() => void>,
  { concurrency, pollingIntervalSeconds, stopTimeoutMs }: JobWorkerOptions
): Effect.Effect<void, never, Scope.Scope> => {
  const taken = new JobPlaces(concurrency)
  const running = new Set<Fiber.Fiber<void>>()
  /** Open when there may be something to do. */
  const awake = Latch.makeUnsafe(true)
  const wake = () => awake.openUnsafe()
  let stopping = false
  const run = tryJob(parts)
  const byKind = new Map(handlers.map((handler) => [handler.kind.tag, handler]))
  const kinds = [...byKind.keys()]

  const claimNext = Effect.suspend(() =>
    taken.running < concurrency
      ? parts.owner.execute(parts.text.claim, [taken.full, taken.served, kinds])
      : Effect.succeed([])
  ).pipe(
    Effect.map((rows) => rows[0] as Claim | undefined),
    Effect.catch((error) => Effect.as(parts.report(error), undefined))
  )

  const begin = (claim: Claim) =>
    Effect.gen(function* () {
      taken.begin(claim.owner)
      const fiber = yield* Effect.forkDetach(run(claim, byKind.get(claim.kind)!))
      running.add(fiber)
      fiber.addObserver(() => {
        running.delete(fiber)
        taken.end(claim.owner)
        wake()
      })
    })

  const step = Effect.gen(function* () {
    awake.closeUnsafe()
    const claim = yield* claimNext
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
