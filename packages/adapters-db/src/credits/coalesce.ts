import { Cause, Deferred, Effect, Exit } from "effect"

export interface CoalesceOptions<Job, A, E> {
  /** Returns the lane of a job. Jobs of one lane never run in two batches at once. */
  readonly laneOf: (job: Job) => string
  /**
   * Runs the jobs of a batch, and returns their answers in the order of the jobs. If another process holds up a lane,
   * the answers of all jobs of that lane are `undefined`, and none of these jobs has run.
   */
  readonly run: (jobs: ReadonlyArray<Job>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E> | undefined>>
  /**
   * Runs the jobs of one lane for which `run` returned `undefined`, without taking a slot of a batch. Until it ends, no
   * other job of the lane runs.
   */
  readonly contend: (jobs: ReadonlyArray<Job>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  readonly maxBatch: number
  readonly maxInFlight: number
}

/**
 * The value that wakes a waiting caller: the answer of its job, or a batch that it has to run, whose first job is its
 * own.
 */
type Turn<Job, A, E> =
  | { readonly _tag: "Answered"; readonly exit: Exit.Exit<A, E> }
  | { readonly _tag: "Leads" | "Contends"; readonly batch: ReadonlyArray<Ticket<Job, A, E>> }

interface Ticket<Job, A, E> {
  readonly job: Job
  readonly turn: Deferred.Deferred<Turn<Job, A, E>>
}

const UNANSWERED: Exit.Exit<never> = Exit.failCause(Cause.die(new Error("A batch gave too few answers.")))

/** The answer of one job of a batch; undefined if its lane is contended. */
const answerAt = <A, E>(
  outcome: Exit.Exit<ReadonlyArray<Exit.Exit<A, E> | undefined>>,
  index: number
): Exit.Exit<A, E> | undefined => {
  if (Exit.isFailure(outcome)) return Exit.failCause(outcome.cause)
  return index < outcome.value.length ? outcome.value[index] : UNANSWERED
}

const wake = <Job, A, E>(ticket: Ticket<Job, A, E>, turn: Turn<Job, A, E>): void => {
  Deferred.doneUnsafe(ticket.turn, Effect.succeed(turn))
}

const put = <Value>(lists: Map<string, Array<Value>>, lane: string, value: Value): void => {
  const list = lists.get(lane)
  if (list === undefined) lists.set(lane, [value])
  else list.push(value)
}

/** Keeps the waiting jobs by lane, and forms batches of them. */
const makeLanes = <Job, A, E>({
  laneOf,
  maxBatch,
  maxInFlight
}: Pick<CoalesceOptions<Job, A, E>, "laneOf" | "maxBatch" | "maxInFlight">) => {
  type Waiting = Ticket<Job, A, E>
  /** The waiting jobs of each lane. Lanes are served in the order of this map. */
  const waiting = new Map<string, Array<Waiting>>()
  const busy = new Set<string>()
  let inFlight = 0
  let starting = false
  /** The number of jobs without an answer, except jobs of contended lanes. */
  let outstanding = 0

  const startBatches = (): void => {
    starting = false
    while (inFlight < maxInFlight) {
      const batch: Array<Waiting> = []
      const share = Math.min(maxBatch, Math.ceil(outstanding / maxInFlight))
      for (const [lane, tickets] of waiting) {
        if (busy.has(lane)) continue
        busy.add(lane)
        batch.push(...tickets.splice(0, maxBatch - batch.length))
        waiting.delete(lane)
        if (tickets.length > 0) waiting.set(lane, tickets)
        if (batch.length >= share) break
      }
      const [leader] = batch
      if (leader === undefined) return
      inFlight += 1
      wake(leader, { _tag: "Leads", batch })
    }
  }

  /**
   * Starts batches after the event loop has run all work that is ready. Callers that have just received an answer and
   * send the next job at once then share a batch.
   */
  const startSoon = (): void => {
    if (!starting) setImmediate(startBatches)
    starting = true
  }

  return {
    add: (ticket: Waiting): void => {
      put(waiting, laneOf(ticket.job), ticket)
      outstanding += 1
      startSoon()
    },
    /**
     * Frees the lanes of these jobs. If a batch has ended, `batch` is the number of its jobs, and its slot becomes free
     * as well.
     */
    free: (answered: ReadonlyArray<Waiting>, batch = 0): void => {
      if (batch > 0) inFlight -= 1
      outstanding -= batch
      for (const { job } of answered) busy.delete(laneOf(job))
      startSoon()
    }
  }
}

/**
 * Turns many concurrent calls into few batches. A call that finds a free slot and a free lane starts at once, together
 * with the calls of the same turn of the event loop. Calls that arrive while their lane or all slots are busy form the
 * next batches. So batches grow only under load, and a single call does not wait. Lanes take turns, so that a busy lane
 * does not keep other lanes from the slots. If another process holds up a lane, the lane leaves its slot at once.
 *
 * The size of a batch is an equal share of all jobs, running or waiting for a slot; but it takes all jobs of a lane
 * that fit into the largest batch. If a batch took all waiting jobs, one large batch and several tiny ones would form,
 * each with the full cost of a commit. This would not change later, because the callers of the large batch return
 * together.
 *
 * No fiber runs in the background: a batch runs on the fiber of its first caller, and the other callers wait for their
 * answers. A call that was sent is not interrupted, because other calls may depend on its fiber, and because its work
 * may already be done.
 */
export const coalesce = <Job, A, E>(options: CoalesceOptions<Job, A, E>): ((job: Job) => Effect.Effect<A, E>) => {
  type Waiting = Ticket<Job, A, E>
  const lanes = makeLanes<Job, A, E>(options)

  const lead = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
    const outcome = yield* Effect.exit(options.run(batch.map(({ job }) => job)))
    const answered: Array<Waiting> = []
    const contended = new Map<string, Array<Waiting>>()
    for (const [index, ticket] of batch.entries()) {
      const exit = answerAt(outcome, index)
      if (exit === undefined) {
        put(contended, options.laneOf(ticket.job), ticket)
        continue
      }
      answered.push(ticket)
      if (index > 0) wake(ticket, { _tag: "Answered", exit })
    }
    lanes.free(answered, batch.length)
    let own: ReadonlyArray<Waiting> | undefined
    for (const tickets of contended.values()) {
      const [first] = tickets
      if (first === batch[0]) own = tickets
      else if (first !== undefined) wake(first, { _tag: "Contends", batch: tickets })
    }
    return yield* own === undefined ? (answerAt(outcome, 0) ?? UNANSWERED) : contend(own)
  })

  const contend = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
    const outcome = yield* Effect.exit(options.contend(batch.map(({ job }) => job)))
    lanes.free(batch)
    for (const [index, ticket] of batch.entries()) {
      if (index > 0) wake(ticket, { _tag: "Answered", exit: answerAt(outcome, index) ?? UNANSWERED })
    }
    return yield* answerAt(outcome, 0) ?? UNANSWERED
  })

  // Written without a generator, which would cost each call of a batch about a microsecond.
  return (job) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const ticket: Waiting = { job, turn: Deferred.makeUnsafe() }
        lanes.add(ticket)
        return Effect.flatMap(Deferred.await(ticket.turn), (turn) => {
          if (turn._tag === "Answered") return turn.exit
          return turn._tag === "Leads" ? lead(turn.batch) : contend(turn.batch)
        })
      })
    )
}
