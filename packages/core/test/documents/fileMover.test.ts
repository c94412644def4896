import { assert, describe, it } from "@effect/vitest"
import { StorageFailed } from "@parley/core/adapter"
import { FileMover, type FilesMoved, FileStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const away = new StorageFailed({ operation: "FileStore.move", retryable: true, cause: new Error("away") })

/** A store whose calls each do this amount of work, or fail; after them no work is left. */
const storeOf = (answers: ReadonlyArray<FilesMoved | StorageFailed>) => {
  let asked = 0
  const none = () => Effect.die("Only moving is asked for.")
  const files = FileStore.of({
    write: none,
    read: none,
    readSome: none,
    move: () =>
      Effect.suspend(() => {
        const answer = answers[asked++] ?? { moved: 0, removed: 0 }
        return answer instanceof StorageFailed ? answer : Effect.succeed(answer)
      })
  })
  return { asked: () => asked, layer: Layer.provide(FileMover.layer, Layer.succeed(FileStore, files)) }
}

describe("moving files", () => {
  it.effect("goes on until nothing is left to move or to remove, and tells how much it was", () => {
    const { asked, layer } = storeOf([
      { moved: 20, removed: 0 },
      { moved: 3, removed: 20 },
      { moved: 0, removed: 4 }
    ])
    return Effect.gen(function* () {
      assert.deepEqual(yield* FileMover.use(({ move }) => move), { moved: 23, removed: 24 })
      assert.strictEqual(asked(), 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is tried again after a failure, and looks every minute", () => {
    const { asked, layer } = storeOf([away, { moved: 1, removed: 0 }])
    return Effect.gen(function* () {
      yield* Effect.forkChild(FileMover.use(({ run }) => run))
      yield* TestClock.adjust(0)
      assert.strictEqual(asked(), 1)
      yield* TestClock.adjust("3 minutes")
      assert.isAtLeast(asked(), 3)
    }).pipe(Effect.provide(layer))
  })
})
