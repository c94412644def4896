import { TaskRuns } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgTaskRunsLayer } from "../../src/background/PgTaskRuns.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { databases } from "../databases.ts"

describe.each(databases)("TaskRuns on $name", ({ layer }) => {
  it("leaves out the runs of tasks that only servers of a later release know", () =>
    Effect.gen(function* () {
      const { execute, schemaName } = yield* DatabaseOwner
      yield* execute(
        `INSERT INTO "${schemaName}".task_runs (task, ended_at) VALUES ('later', now()), ('verify', now())`
      )
      const ended = yield* (yield* TaskRuns).ended
      expect(ended.map(({ task }) => task)).toEqual(["verify"])
    }).pipe(Effect.provide(Layer.provideMerge(PgTaskRunsLayer, layer)), Effect.scoped, Effect.runPromise))
})
