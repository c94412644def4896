import { Effect, Exit, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "@effect/vitest"
import { withoutRepeats } from "../../src/outages/withoutRepeats.ts"

interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A logger without repetitions, until its scope is closed, and the written records. */
const written = Effect.gen(function* () {
  const lines: Array<Line> = []
  const write = Logger.map(Logger.formatStructured, ({ annotations, level, message }) => {
    lines.push({ level, message: String(message), annotations: annotations as Line["annotations"] })
  })
  const scope = yield* Scope.make()
  const logger = yield* Scope.provide(withoutRepeats(write), scope)
  const logging = Logger.layer([logger])
  const log = (line: Effect.Effect<void>, fields: Readonly<Record<string, unknown>>) =>
    Effect.provide(Effect.annotateLogs(line, fields), logging)
  return { lines, log, close: Scope.close(scope, Exit.void) }
})

const REFUSED = Effect.logWarning("A request failed.")
const failure = (requestId: number, more: Readonly<Record<string, unknown>> = {}) => ({
  requestId,
  route: "GET /a",
  code: "storage_unavailable",
  error: "StorageFailed",
  cause: "ECONNREFUSED",
  ...more
})

describe("withoutRepeats", () => {
  it.effect("writes the first of many failures at once, and after a minute how many were left out, and where", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* written
      for (let request = 0; request < 40; request++) yield* log(REFUSED, failure(request))
      for (let request = 0; request < 20; request++) yield* log(REFUSED, failure(request, { route: "POST /b" }))
      expect(lines.map(({ annotations }) => annotations)).toEqual([failure(0)])
      yield* TestClock.adjust("1 minute")
      expect(lines).toHaveLength(2)
      expect(lines[1]).toEqual({
        level: "WARN",
        message: "Records that repeat earlier ones were left out.",
        annotations: {
          repeated: [
            {
              message: "A request failed.",
              leftOut: 59,
              code: "storage_unavailable",
              error: "StorageFailed",
              cause: "ECONNREFUSED",
              places: { "GET /a": 39, "POST /b": 20 }
            }
          ]
        }
      })
    })
  )

  it.effect("writes one record a minute while an outage lasts, and none of what did not repeat", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* written
      for (let minute = 0; minute < 10; minute++) {
        for (let request = 0; request < 60; request++) {
          yield* log(REFUSED, failure(request))
          yield* TestClock.adjust("1 second")
        }
      }
      expect(lines.length).toBeLessThanOrEqual(11)
      const counted = lines.flatMap(
        ({ annotations }) => (annotations["repeated"] ?? []) as ReadonlyArray<{ leftOut: number }>
      )
      const all = counted.reduce((sum, { leftOut }) => sum + leftOut, 1)
      expect(all).toBeGreaterThanOrEqual(540)
      expect(all).toBeLessThanOrEqual(600)
    })
  )

  it.effect(
    "loses no first occurrence: another sentence, code, cause, level, person or place in the code is another failure",
    () =>
      Effect.gen(function* () {
        const { lines, log } = yield* written
        const others = [
          { code: "provider_unavailable" },
          { cause: "EMFILE" },
          { cause: undefined },
          { sqlState: "53100" },
          { model: "model-a" },
          { userId: "ann" },
          { at: "at file.ts:1" }
        ]
        yield* log(REFUSED, failure(0))
        for (const other of others) yield* log(REFUSED, failure(1, other))
        yield* log(Effect.logError("A request failed."), failure(1))
        yield* log(Effect.logWarning("Holds could not be swept."), failure(1))
        expect(lines).toHaveLength(1 + others.length + 2)
      })
  )

  it.effect("logs a failure again that did not occur for a minute", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* written
      yield* log(REFUSED, failure(0))
      yield* TestClock.adjust("61 seconds")
      yield* log(REFUSED, failure(1))
      expect(lines).toHaveLength(2)
    })
  )

  it.effect("writes all that is not about a failure", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* written
      for (let time = 0; time < 30; time++) {
        yield* log(Effect.logInfo("A request was answered."), failure(0))
        yield* log(Effect.logWarning("A request was refused."), { route: "GET /a", code: "unauthorized" })
      }
      expect(lines).toHaveLength(60)
    })
  )

  it.effect("reports the records that were left out when it ends", () =>
    Effect.gen(function* () {
      const { close, lines, log } = yield* written
      for (let request = 0; request < 3; request++) yield* log(REFUSED, failure(request))
      yield* close
      expect(lines).toHaveLength(2)
      expect(lines[1]?.annotations).toMatchObject({ repeated: [{ leftOut: 2 }] })
    })
  )

  it.effect("handles ten thousand kinds of failure without keeping them all", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* written
      for (let kind = 0; kind < 10_000; kind++) yield* log(REFUSED, failure(0, { code: `code_${kind}` }))
      expect(lines).toHaveLength(10_000)
    })
  )
})
