import { Effect } from "effect"
import { Command } from "effect/cli"

/** `parley work` */
export const workCommand = Command.make(
  "work",
  {},
  Effect.fnUntraced(function* () {
    const { work } = yield* Effect.promise(() => import("../server/work.ts"))
    yield* work
  })
).pipe(
  Command.withDescription("Do the background work of servers that run with --no-work, until stopped"),
  Command.withExamples([
    {
      command: "DATABASE_URL=postgres://... parley work",
      description: "Run any number of them beside any number of servers"
    }
  ])
)
