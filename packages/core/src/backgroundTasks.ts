import { Effect, Layer, Schedule, type Scope } from "effect"
import { type BackgroundTask, startTasks } from "./background/startTasks.ts"
import { PaymentCatchUp } from "./billing/upkeep/PaymentCatchUp.ts"
import { PaymentEventSweeper } from "./billing/upkeep/PaymentEventSweeper.ts"
import { DailyVerification } from "./credits/upkeep/DailyVerification.ts"
import { HoldSweeper } from "./credits/upkeep/HoldSweeper.ts"
import { ResetService } from "./credits/upkeep/ResetService.ts"
import { DocumentRequeue } from "./documents/reading/DocumentRequeue.ts"
import { FileMover } from "./documents/storing/FileMover.ts"
import { EventDelivery } from "./events/EventDelivery.ts"
import { EventFeed } from "./keys/EventFeed.ts"
import { JobWorker } from "./jobs/JobWorker.ts"
import { CallLimitSweeper } from "./limits/CallLimitSweeper.ts"
import { RetentionSweeper } from "./retention/RetentionSweeper.ts"
import { EmailSignIn } from "./signin/EmailSignIn.ts"
import type { ParleyServices } from "./parleyLayer.ts"

/**
 * The wait before the first reset, because a process that starts has more urgent work; varied, so that processes that
 * start together do not reset at the same moment.
 */
const BEFORE_FIRST_RESET = "1 minute"
const RESETS = Schedule.jittered(Schedule.spaced("1 hour"))

/** Begins the periods that are due, at once and every hour. */
const resets = ResetService.use(({ run }) =>
  run().pipe(
    Effect.tap(({ busy, refused, resetCount }) =>
      resetCount + refused === 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("Began the periods that were due."), { resetCount, busy, refused })
    ),
    Effect.repeat(RESETS)
  )
).pipe(Effect.delay(BEFORE_FIRST_RESET), Effect.andThen(Effect.never))

/**
 * All background tasks: the only list, for servers, workers and `createParley` alike. Add a new task as an entry here.
 * `resets` is for installations that have no schedule of their own for the reset, `payments` for those that sell.
 */
export const backgroundTasks = {
  jobs: {
    consequence: "Queued jobs are not being worked on",
    run: JobWorker.use(({ work }) => Effect.andThen(work, Effect.never)),
    stopWithinMs: 12_000
  },
  requeue: {
    consequence: "Documents without a job are not being looked for",
    run: DocumentRequeue.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  files: {
    consequence: "Uploaded files are not being moved to the object store",
    run: FileMover.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  holds: {
    consequence: "The holds and replies of processes that died are not being ended",
    run: HoldSweeper.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  callLimits: {
    consequence: "The counts of visitors' calls and expired sign-ins are not being deleted",
    run: Effect.andThen(
      Effect.all([CallLimitSweeper.use(({ run }) => run), EmailSignIn.use(({ sweeps }) => sweeps)], {
        concurrency: "unbounded"
      }),
      Effect.never
    ),
    stopWithinMs: 5_000
  },
  payments: {
    consequence: "Missed events of the payment provider are not being caught up with",
    run: PaymentCatchUp.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  paymentEvents: {
    consequence: "Old events of the payment provider are not being removed",
    run: PaymentEventSweeper.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  retention: {
    consequence: "Chats and entries of the audit log stay longer than they are to be kept",
    run: RetentionSweeper.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  verification: {
    consequence: "Balances are not being compared with their rows",
    run: DailyVerification.use(({ run }) => run),
    stopWithinMs: 5_000
  },
  events: {
    consequence: "Events are not being delivered to hooks and webhooks, or stored for back ends",
    run: Effect.andThen(
      Effect.all([EventDelivery.use(({ run }) => run), EventFeed.use(({ run }) => run)], { concurrency: "unbounded" }),
      Effect.never
    ),
    stopWithinMs: 5_000
  },
  resets: {
    consequence: "Periods that are due do not begin",
    run: resets,
    stopWithinMs: 5_000
  }
} as const satisfies Readonly<Record<string, BackgroundTask<ParleyServices | Scope.Scope>>>

export type BackgroundTaskName = keyof typeof backgroundTasks

/** The names of all background tasks. */
export const BACKGROUND_TASKS = Object.keys(backgroundTasks) as ReadonlyArray<BackgroundTaskName>

/**
 * The background work of a process: the named tasks, or all of them unless given. It starts when this layer is built,
 * and ends with the layer.
 */
export const backgroundWorkLayer = (
  names: ReadonlyArray<BackgroundTaskName> = BACKGROUND_TASKS
): Layer.Layer<never, never, ParleyServices> =>
  Layer.effectDiscard(
    startTasks<ParleyServices | Scope.Scope>(Object.fromEntries(names.map((name) => [name, backgroundTasks[name]])))
  )
