import fc from "fast-check"
import { expect, it } from "vitest"
import { ReplicaLag } from "../../src/database/server/ReplicaLag.ts"

it("a replica that has replayed nothing known is infinitely old", () => {
  const lag = new ReplicaLag()
  lag.primaryAt(1_000, 500)
  lag.replayedTo(499)
  expect(lag.lagMs(1_000)).toBe(Number.POSITIVE_INFINITY)
})

it("an idle server's replica stays fresh", () => {
  const lag = new ReplicaLag()
  for (const atMs of [1_000, 2_000, 3_000]) {
    lag.primaryAt(atMs, 500)
    lag.replayedTo(500)
  }
  expect(lag.lagMs(3_200)).toBe(200)
})

it("a replica is never taken for fresher than it is, in any history of commits, replays and questions", () => {
  const history = fc.array(
    fc.record({
      later: fc.integer({ min: 1, max: 5_000 }),
      written: fc.integer({ min: 0, max: 100 }),
      behind: fc.integer({ min: 0, max: 300 })
    }),
    { maxLength: 120 }
  )
  fc.assert(
    fc.property(history, (steps) => {
      const lag = new ReplicaLag()
      const commits: Array<{ readonly atMs: number; readonly position: number }> = []
      let [now, position, replayed] = [0, 0, 0]
      for (const { behind, later, written } of steps) {
        now += later
        lag.primaryAt(now, position)
        // Commits after the question, whose time is later than that of the sample.
        position += written
        commits.push({ atMs: now, position })
        replayed = Math.max(replayed, position - behind)
        lag.replayedTo(replayed)
        const completeAt = now - lag.lagMs(now)
        const missing = commits.find((commit) => commit.atMs < completeAt && commit.position > replayed)
        expect(missing).toBeUndefined()
      }
    })
  )
})
