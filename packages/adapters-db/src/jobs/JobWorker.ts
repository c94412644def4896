import { type Attempt, Turns } from "@parley/core"
import { Cause, Effect, Exit, Fiber, Latch, Option, Schedule, type Scope } from "effect"
import type { JobParts } from "./jobParts.ts"
import type { Claim } from "./jobSql.ts"
import { settleTry, type TryEnd } from "./settleTry.ts"

export type JobHandler = (attempt: Attempt) => Effect.Effect<void, unknown>

export interface JobWorkerOptions {
  readonly concurrency: number
  readonly pollingIntervalSeconds: number
  readonly expireInSeconds: number
  readonly stopTimeoutMs: number
}

/** How often a worker says that it lives. */
const BEAT_INTERVAL = "1 second"
/** How long the end of a try is told to a database that does not answer; afterwards the claim lapses. */
const SETTLE_RETRIES = { times: 20, schedule: Schedule.spaced("500 millis") }
/** How long interrupted tries may still take. */
const INTERRUPT_TIMEOUT_MS = 1000

/** Ends when the claim is no longer this worker's: its job was ended by somebody who took the worker for dead. */
const claimLost = ({ owner, text, report }: JobParts, { id, retryCount }: Claim): Effect.Effect<void> => {
  const beat = Effect.map(owner.execute(text.beat, [id, retryCount]), (rows) => rows.length > 0)
  const heldStill = Effect.catch(beat, (error) => Effect.as(report(error), true))
  return Effect.asVoid(Effect.repeat(Effect.delay(heldStill, BEAT_INTERVAL), { while: (held) => held }))
}

const endOf = (exit: Exit.Exit<unknown, unknown>): TryEnd => {
  if (Exit.isSuccess(exit)) return "done"
  return Cause.hasInterruptsOnly(exit.cause) ? "cut-short" : "failed"
}

/** Runs a claimed try with signs of life, and tells the queue how it ended. Interrupted, it interrupts the handler only. */
const tryJob = (parts: JobParts, handler: JobHandler, expireInSeconds: number) => {
  const settle = settleTry(parts)
  return (claim: Claim): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const job = { _tag: "ProcessDocument", documentId: claim.documentId, userId: claim.userId } as const
        const handled = Effect.timeout(
          handler({ job, last: claim.retryCount >= claim.retryLimit }),
          expireInSeconds * 1000
        )
        const exit = yield* Effect.exit(restore(Effect.raceFirst(handled, claimLost(parts, claim))))
        yield* Effect.catch(Effect.retry(settle(claim, endOf(exit)), SETTLE_RETRIES), parts.report)
      })
    )
}

/**
 * Works on jobs until the scope closes: claims them one by one, each for the person whose turn it is, as long as there
 * is a place. Closing lets the tries that run finish, within the bound, and interrupts them then.
 */
export const startWorker = (
  parts: JobParts,
  handler: JobHandler,
  wakes: Set<() => void>,
  { concurrency, pollingIntervalSeconds, expireInSeconds, stopTimeoutMs }: JobWorkerOptions
): Effect.Effect<void, never, Scope.Scope> => {
  const turns = new Turns(concurrency)
  const running = new Set<Fiber.Fiber<void>>()
  /** Open when there may be something to do. */
  const awake = Latch.makeUnsafe(true)
  const wake = () => awake.openUnsafe()
  let stopping = false
  const run = tryJob(parts, handler, expireInSeconds)

  const claimNext = Effect.suspend(() =>
    turns.running < concurrency ? parts.owner.execute(parts.text.claim, [turns.full, turns.served]) : Effect.succeed([])
  ).pipe(
    Effect.map((rows) => rows[0] as Claim | undefined),
    Effect.catch((error) => Effect.as(parts.report(error), undefined))
  )

  const begin = (claim: Claim) =>
    Effect.gen(function* () {
      turns.begin(claim.userId)
      const fiber = yield* Effect.forkDetach(run(claim))
      running.add(fiber)
      fiber.addObserver(() => {
        running.delete(fiber)
        turns.end(claim.userId)
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
