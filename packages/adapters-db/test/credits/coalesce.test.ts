import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { coalesce } from "../../src/credits/coalesce.ts"

interface Job {
  readonly lane: string
  readonly value: number
}

/** A batch under way, which ends when the test says so. */
interface Run {
  readonly jobs: ReadonlyArray<Job>
  readonly end: () => void
  readonly crash: () => void
}

/** Answers a job with ten times its value; a negative one fails. */
const exitOf = ({ value }: Job): Exit.Exit<number, string> =>
  value < 0 ? Exit.fail(`no ${value}`) : Exit.succeed(value * 10)

/** Lets the event loop turn until the called work has begun. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const setUp = (limits: { readonly maxBatch?: number; readonly maxInFlight?: number } = {}) => {
  const runs: Array<Run> = []
  /** Lanes that another process holds up, and the work that was then done for them. */
  const contended = new Set<string>()
  const contentions: Array<Run> = []
  const begin = (jobs: ReadonlyArray<Job>, among: Array<Run>) => {
    const gate = Deferred.makeUnsafe<void>()
    among.push({
      jobs,
      end: () => Deferred.doneUnsafe(gate, Effect.void),
      crash: () => Deferred.doneUnsafe(gate, Effect.die(new Error("broken")))
    })
    return Deferred.await(gate)
  }
  const call = coalesce<Job, number, string>({
    laneOf: ({ lane }) => lane,
    maxBatch: limits.maxBatch ?? 100,
    maxInFlight: limits.maxInFlight ?? 2,
    run: (jobs) =>
      Effect.suspend(() =>
        Effect.map(begin(jobs, runs), () => jobs.map((job) => (contended.has(job.lane) ? undefined : exitOf(job))))
      ),
    contend: (jobs) => Effect.suspend(() => Effect.as(begin(jobs, contentions), jobs.map(exitOf)))
  })
  const start = (lane: string, value: number) => Effect.runFork(call({ lane, value }))
  const answer = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.await(fiber))
  const batches = () => runs.map(({ jobs }) => jobs.map(({ lane, value }) => `${lane}${value}`).join(" "))
  /** Ends runs in order, those included that begin meanwhile. */
  const endAll = async () => {
    await turns()
    for (let index = 0; index < runs.length; index += 1) {
      runs[index]?.end()
      await turns()
    }
  }
  return { runs, start, answer, batches, endAll, contended, contentions }
}

describe("coalesced calls", () => {
  it("a lone call starts at once", async () => {
    const { start, answer, batches, endAll } = setUp()
    const fiber = start("a", 1)
    await turns()
    expect(batches()).toEqual(["a1"])
    await endAll()
    expect(await answer(fiber)).toEqual(Exit.succeed(10))
  })

  it("calls of one moment share a batch", async () => {
    const { start, batches, endAll } = setUp()
    start("a", 1)
    start("a", 2)
    await turns()
    expect(batches()).toEqual(["a1 a2"])
    await endAll()
  })

  it("what arrives while its lane is busy forms the next batch, and each call gets its own answer", async () => {
    const { start, answer, batches, endAll } = setUp()
    const first = start("a", 1)
    await turns()
    const fibers = [first, ...[2, -3, 4].map((value) => start("a", value))]
    expect(batches()).toEqual(["a1"])
    await endAll()
    expect(batches()).toEqual(["a1", "a2 a-3 a4"])
    const answers = await Promise.all(fibers.map(answer))
    expect(answers).toEqual([Exit.succeed(10), Exit.succeed(20), Exit.fail("no -3"), Exit.succeed(40)])
  })

  it("lanes share batches once all slots are taken, and no lane is in two batches at once", async () => {
    const { start, batches, endAll, runs } = setUp({ maxInFlight: 2 })
    start("a", 1)
    start("b", 1)
    await turns()
    for (const [lane, value] of [
      ["a", 2],
      ["c", 1],
      ["b", 2],
      ["d", 1]
    ] as const)
      start(lane, value)
    expect(batches()).toEqual(["a1", "b1"])
    runs[0]?.end()
    await turns()
    expect(batches().slice(2)).toEqual(["a2 c1 d1"])
    await endAll()
    expect(batches().slice(3)).toEqual(["b2"])
  })

  it("a batch is bounded, and a busy lane waits for the others after each", async () => {
    const { start, batches, endAll } = setUp({ maxBatch: 3, maxInFlight: 1 })
    start("z", 0)
    await turns()
    for (const value of [1, 2, 3, 4, 5]) start("a", value)
    start("b", 1)
    start("c", 1)
    await endAll()
    expect(batches()).toEqual(["z0", "a1 a2 a3", "b1 c1 a4", "a5"])
  })

  it("batches take equal shares of what is to be done, so that none of them becomes a convoy", async () => {
    const { start, batches, endAll, runs } = setUp({ maxInFlight: 2 })
    for (const lane of ["a", "b"]) start(lane, 1)
    await turns()
    for (const lane of ["c", "d", "e", "f", "g", "h"]) start(lane, 1)
    expect(batches()).toEqual(["a1", "b1"])
    runs[0]?.end()
    await turns()
    expect(batches().slice(2)).toEqual(["c1 d1 e1 f1"])
    await endAll()
    expect(batches().slice(3)).toEqual(["g1 h1"])
  })

  it("a lane that fits into a batch is not cut to its share", async () => {
    const { start, batches, endAll } = setUp({ maxInFlight: 2 })
    start("b", 1)
    await turns()
    for (const value of [1, 2, 3, 4, 5]) start("a", value)
    await endAll()
    expect(batches()).toEqual(["b1", "a1 a2 a3 a4 a5"])
  })

  it("a batch that breaks tells all its callers and frees its lanes and its slot", async () => {
    const { start, answer, runs, endAll } = setUp({ maxInFlight: 1 })
    const first = start("a", 1)
    await turns()
    const others = [start("a", 2), start("b", 1)]
    runs[0]?.end()
    await answer(first)
    await turns()
    runs[1]?.crash()
    for (const other of others) {
      const exit = await answer(other)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toEqual(new Error("broken"))
    }
    const later = [start("a", 3), start("b", 3)]
    await endAll()
    expect(await Promise.all(later.map(answer))).toEqual([Exit.succeed(30), Exit.succeed(30)])
  })

  it("a lane that another process holds up leaves its slot at once; its own calls wait, no others", async () => {
    const { start, answer, batches, runs, contended, contentions, endAll } = setUp({ maxInFlight: 1 })
    contended.add("a")
    const stuck = [start("a", 1), start("a", 2)]
    const other = start("b", 1)
    await turns()
    runs[0]?.end()
    expect(await answer(other)).toEqual(Exit.succeed(10))
    await turns()
    expect(contentions.map(({ jobs }) => jobs.map(({ value }) => value))).toEqual([[1, 2]])
    const later = start("a", 3)
    const others = Array.from({ length: 20 }, (_, index) => start(`c${index}`, 1))
    await endAll()
    for (const one of others) expect(await answer(one)).toEqual(Exit.succeed(10))
    expect(batches().join(" ")).not.toContain("a3")
    contended.delete("a")
    contentions[0]?.end()
    await endAll()
    expect(await Promise.all([...stuck, later].map(answer))).toEqual([10, 20, 30].map((value) => Exit.succeed(value)))
  })

  it("several lanes that are stuck are each seen to on their own, and break on their own", async () => {
    const { start, answer, runs, contended, contentions, endAll } = setUp({ maxInFlight: 1 })
    contended.add("a").add("b")
    const [first, second] = [start("a", 1), start("b", 1)]
    await turns()
    expect(runs).toHaveLength(1)
    runs[0]?.end()
    await turns()
    expect(contentions).toHaveLength(2)
    const seenTo = (lane: string) => contentions.find(({ jobs }) => jobs[0]?.lane === lane)
    seenTo("b")?.crash()
    expect(Exit.isFailure(await answer(second))).toBe(true)
    seenTo("a")?.end()
    expect(await answer(first)).toEqual(Exit.succeed(10))
    contended.clear()
    const again = start("b", 2)
    await endAll()
    expect(await answer(again)).toEqual(Exit.succeed(20))
  })

  it("an interrupted caller takes no other caller's answer away", async () => {
    const { start, answer, runs, endAll } = setUp({ maxInFlight: 1 })
    const leader = start("a", 1)
    await turns()
    const follower = start("a", 2)
    Effect.runFork(Fiber.interrupt(leader))
    runs[0]?.end()
    await endAll()
    expect(await answer(follower)).toEqual(Exit.succeed(20))
  })
})
