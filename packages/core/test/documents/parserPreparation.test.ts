import { assert, describe, it } from "@effect/vitest"
import { DocumentParser, JobWorker } from "@parley/core/adapter"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { plainParser, says, scriptedModel, world } from "../chat/world.ts"

describe("the parser of a process", () => {
  it.effect("prepares once, soon after the work on jobs begins, and not in a process without that work", () => {
    let prepared = 0
    const parser = DocumentParser.of({ ...plainParser, prepare: Effect.sync(() => void prepared++) })
    const model = scriptedModel(() => says(["yes"]))
    return Effect.gen(function* () {
      const worker = yield* JobWorker
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(prepared, 0)
      yield* worker.work
      assert.strictEqual(prepared, 0)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(prepared, 1)
    }).pipe(Effect.scoped, Effect.provide(world(model, {}, undefined, parser)))
  })
})
