import { Cause, Deferred, Effect, Exit } from "effect"

export interface CoalesceOptions<Job, A, E> {
  /** Jobs of one lane never run in two batches at once. */
  readonly laneOf: (job: Job) => string
  /** Does all jobs of a batch; answers in their order. */
  readonly run: (jobs: ReadonlyArray<Job>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  readonly maxBatch: number
  readonly maxInFlight: number
}

/** What a waiting caller is woken with: its answer, or the task to run a batch that begins with its own job. */
type Turn<Job, A, E> =
  | { readonly _tag: "Answered"; readonly exit: Exit.Exit<A, E> }
  | { readonly _tag: "Leads"; readonly batch: ReadonlyArray<Ticket<Job, A, E>> }

interface Ticket<Job, A, E> {
  readonly job: Job
  readonly turn: Deferred.Deferred<Turn<Job, A, E>>
}

/**
 * Turns many concurrent calls into few batches. A call that finds a batch slot and its lane free starts at once, with
 * what comes in the same turn of the event loop; what arrives while its lane is busy, or while all slots are, forms the
 * next batches. So batches grow only under load, and a lone call waits for nobody. Lanes take turns, so that a busy one
 * does not keep others from the slots.
 *
 * A batch takes an equal share of all jobs, done or waiting for a slot, but never half a lane that has room. Taking all
 * that wait would form one large batch and several tiny ones, each with the full cost of a commit, for ever: who is in
 * the large one comes back together.
 *
 * No fiber runs in the background: a batch runs on the fiber of its first caller, and the others wait for their answers.
 * A call that was sent is not interrupted, since others may depend on the fiber, and since its work may be done already.
 */
export const coalesce = <Job, A, E>(options: CoalesceOptions<Job, A, E>): ((job: Job) => Effect.Effect<A, E>) => {
  type Waiting = Ticket<Job, A, E>
  /** By lane, in the order in which the lanes' turns come. */
  const waiting = new Map<string, Array<Waiting>>()
  const busy = new Set<string>()
  let inFlight = 0
  let starting = false
  /** Jobs that have no answer yet. */
  let outstanding = 0

  const takeBatch = (): Array<Waiting> => {
    const batch: Array<Waiting> = []
    const share = Math.min(options.maxBatch, Math.ceil(outstanding / options.maxInFlight))
    for (const [lane, tickets] of waiting) {
      if (busy.has(lane)) continue
      busy.add(lane)
      batch.push(...tickets.splice(0, options.maxBatch - batch.length))
      waiting.delete(lane)
      if (tickets.length > 0) waiting.set(lane, tickets)
      if (batch.length >= share) break
    }
    return batch
  }

  const wake = (ticket: Waiting, turn: Turn<Job, A, E>): void => {
    Deferred.doneUnsafe(ticket.turn, Effect.succeed(turn))
  }

  const startBatches = (): void => {
    while (inFlight < options.maxInFlight) {
      const batch = takeBatch()
      const [leader] = batch
      if (leader === undefined) return
      inFlight += 1
      wake(leader, { _tag: "Leads", batch })
    }
  }

  /** After what is ready to run has run: callers who were just answered, and ask again, then share a batch. */
  const startSoon = (): void => {
    if (starting) return
    starting = true
    setImmediate(() => {
      starting = false
      startBatches()
    })
  }

  const unanswered: Exit.Exit<never> = Exit.failCause(Cause.die(new Error("A batch gave too few answers.")))

  const lead = (batch: ReadonlyArray<Waiting>): Effect.Effect<A, E> =>
    Effect.flatMap(Effect.exit(options.run(batch.map(({ job }) => job))), (outcome) => {
      inFlight -= 1
      outstanding -= batch.length
      for (const { job } of batch) busy.delete(options.laneOf(job))
      startSoon()
      const answer = (index: number): Exit.Exit<A, E> =>
        Exit.isSuccess(outcome) ? (outcome.value[index] ?? unanswered) : Exit.failCause(outcome.cause)
      for (const [index, ticket] of batch.entries()) {
        if (index > 0) wake(ticket, { _tag: "Answered", exit: answer(index) })
      }
      return answer(0)
    })

  return (job) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const lane = options.laneOf(job)
        const ticket: Waiting = { job, turn: Deferred.makeUnsafe() }
        const others = waiting.get(lane)
        if (others === undefined) waiting.set(lane, [ticket])
        else others.push(ticket)
        outstanding += 1
        startSoon()
        return Effect.flatMap(Deferred.await(ticket.turn), (turn) =>
          turn._tag === "Leads" ? lead(turn.batch) : turn.exit
        )
      })
    )
}
