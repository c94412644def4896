import { assert, describe, it } from "@effect/vitest"
import type { BackgroundTask } from "@parley/core/effect"
import { StorageFailed } from "@parley/core/adapter"
import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { startTasks } from "../../src/background/startTasks.ts"

const task = (run: BackgroundTask["run"], stopWithinMs = 1_000): BackgroundTask => ({
  consequence: "Nothing is done",
  run,
  stopWithinMs
})

/** Counts its beginnings, and runs `run` each time. */
const counting = (run: (beginning: number) => BackgroundTask["run"], stopWithinMs?: number) => {
  const counted = { beginnings: 0, endings: 0 }
  const counted_ = Effect.suspend(() => {
    counted.beginnings += 1
    return Effect.andThen(
      Effect.addFinalizer(() => Effect.sync(() => void (counted.endings += 1))),
      run(counted.beginnings)
    )
  })
  return { counted, task: task(counted_, stopWithinMs) }
}

/** Starts `tasks`; returns a function that stops them, and the log. */
const started = (tasks: Readonly<Record<string, BackgroundTask>>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
    const scope = yield* Scope.make()
    const logging = Effect.provide(Logger.layer([logger]))
    yield* startTasks(tasks).pipe(Effect.provideService(Scope.Scope, scope), logging)
    yield* TestClock.adjust(0)
    return { lines, stop: logging(Scope.close(scope, Exit.void)) }
  })

const away = new StorageFailed({ operation: "JobQueue.work", retryable: true, cause: new Error("secret-of-vendor") })

describe("background tasks", () => {
  it.effect.each<[string, BackgroundTask["run"]]>([
    ["fails", Effect.fail(away)],
    ["dies", Effect.die(new TypeError("secret-of-vendor"))],
    ["interrupts itself", Effect.interrupt],
    ["ends although it should not", Effect.void as unknown as Effect.Effect<never>]
  ])("begin anew in a new scope where one %s, and no other one notices", ([, failing]) =>
    Effect.gen(function* () {
      const broken = counting(() => failing)
      const sound = counting(() => Effect.never)
      const { stop } = yield* started({ broken: broken.task, sound: sound.task })
      assert.deepStrictEqual(broken.counted, { beginnings: 1, endings: 1 })
      yield* TestClock.adjust("1300 millis")
      assert.deepStrictEqual(broken.counted, { beginnings: 2, endings: 2 })
      assert.deepStrictEqual(sound.counted, { beginnings: 1, endings: 0 })
      yield* stop
      assert.deepStrictEqual(sound.counted, { beginnings: 1, endings: 1 })
    })
  )

  it.effect("say in the log which one failed and what that means, and nothing of the failure's cause", () =>
    Effect.gen(function* () {
      const { lines, stop } = yield* started({
        documents: task(Effect.fail(away)),
        holds: task(Effect.die(new TypeError("secret-of-vendor")))
      })
      assert.strictEqual(lines.length, 2)
      assert.match(lines[0] ?? "", /level=WARN.*Nothing is done; the task restarts in \d\.\d seconds/)
      assert.match(lines[0] ?? "", /task=documents failure=StorageFailed operation=JobQueue\.work/)
      assert.match(lines[1] ?? "", /task=holds failure=TypeError/)
      assert.notInclude(lines.join("\n"), "secret-of-vendor")
      yield* stop
    })
  )

  it.effect("rest longer with each failure in a row, half a minute at most, and shortly again once one recovered", () =>
    Effect.gen(function* () {
      const rests: Array<number> = []
      let endedAt = 0
      const { counted, task: failing } = counting((beginning) =>
        Effect.gen(function* () {
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          if (beginning > 1) rests.push(now - endedAt)
          if (beginning === 10) yield* Effect.sleep("2 minutes")
          endedAt = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          return yield* away
        })
      )
      const { stop } = yield* started({ failing })
      while (counted.beginnings < 11) yield* TestClock.adjust("100 millis")
      yield* stop
      const bounds = [1, 2, 4, 8, 16, 30, 30, 30, 30, 1]
      for (const [index, seconds] of bounds.entries()) {
        assert.isAtLeast(rests[index] ?? 0, seconds * 800)
        assert.isAtMost(rests[index] ?? Infinity, seconds * 1200 + 100)
      }
    })
  )

  it.effect("stop side by side, each within its bound: one that does not is left behind, and said", () =>
    Effect.gen(function* () {
      const slow = counting(() => Effect.onInterrupt(Effect.never, () => Effect.sleep("3 seconds")), 4_000)
      const stuck = counting(() => Effect.uninterruptible(Effect.never), 5_000)
      const { lines, stop } = yield* started({ slow: slow.task, stuck: stuck.task })
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(slow.counted.endings, 1)
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(stopping)
      assert.strictEqual(stuck.counted.endings, 0)
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /did not stop within 5 seconds.*task=stuck/)
    })
  )

  it.effect("that rest after a failure stop at once", () =>
    Effect.gen(function* () {
      const failing = counting(() => Effect.fail(away))
      const { stop } = yield* started({ failing: failing.task })
      yield* stop
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(failing.counted, { beginnings: 1, endings: 1 })
    })
  )
})
