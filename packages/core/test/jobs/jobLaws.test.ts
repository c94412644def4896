import { assert, describe, it } from "@effect/vitest"
import { type Cursor, positionIn } from "../../src/storage/Cursor.ts"
import { jobKind, retryDelayMs, twinOf } from "@parley/core/adapter"
import { Schema } from "effect"
import fc from "fast-check"
import { asked, type HeldJob, JobPosition, pageOfJobs } from "../../src/jobs/InMemoryJobs.ts"

const kindOf = (tag: string) =>
  jobKind(tag, {
    payload: Schema.Struct({ key: Schema.String }),
    tries: 3,
    retryDelayMs: { first: 0, longest: 0 },
    timeLimitMs: 1000,
    twinKey: ({ key }) => key
  })

describe("the wait before the next try", () => {
  it("doubles with every try and never exceeds the longest, however many there are", () => {
    const delays = fc.record({ first: fc.integer({ min: 0, max: 1e6 }), longest: fc.integer({ min: 0, max: 1e9 }) })
    fc.assert(
      fc.property(delays, fc.integer({ min: 1, max: 2000 }), (retryDelay, tried) => {
        const [now, next] = [tried, tried + 1].map((number) => retryDelayMs({ retryDelayMs: retryDelay }, number))
        assert.isAtMost(now!, retryDelay.longest)
        assert.strictEqual(
          retryDelayMs({ retryDelayMs: retryDelay }, 1),
          Math.min(retryDelay.first, retryDelay.longest)
        )
        assert.strictEqual(next!, Math.min(retryDelay.longest, now! * 2))
      })
    )
  })
})

describe("twins", () => {
  it("are jobs of one kind, owner and key, for any characters; no others are", () => {
    const part = fc.oneof(fc.constantFrom("a", '","', "\u0000", "\ud800", ""), fc.string({ unit: "binary" }))
    const parts = fc.tuple(part, part, part)
    const key = ([tag, owner, key]: readonly [string, string, string]) => twinOf(owner, kindOf(tag), { key })
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        assert.strictEqual(key(a), key([...a]))
        assert.strictEqual(
          key(a) === key(b),
          a.every((each, index) => each === b[index])
        )
        assert.isTrue(key(a).isWellFormed() && !key(a).includes("\0"))
      })
    )
  })
})

describe("pages of jobs", () => {
  it("contain every job once, newest first, for any number and times, and the last page is marked", () => {
    const times = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 })
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 7 }), (micros, limit) => {
        const jobs = micros.map((createdMicros, index): HeldJob => {
          const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`
          const facts = { id, kind: "Job", owner: "ann", payload: null, twin: id, triesMax: 1, createdMicros }
          return asked(facts, 0)
        })
        const pages: Array<ReadonlyArray<string>> = []
        let after: Cursor | undefined
        do {
          const page = pageOfJobs(
            jobs,
            () => true,
            { limit },
            positionIn(JobPosition, after),
            () => undefined
          )
          pages.push(page.jobs.map(({ id }) => id))
          after = page.next
        } while (after !== undefined)
        const newestFirst = jobs.toSorted((a, b) => b.createdMicros - a.createdMicros || (a.id < b.id ? 1 : -1))
        assert.deepStrictEqual(
          pages.flat(),
          newestFirst.map(({ id }) => id)
        )
        assert.isTrue(pages.slice(0, -1).every((page) => page.length === limit))
      })
    )
  })
})
