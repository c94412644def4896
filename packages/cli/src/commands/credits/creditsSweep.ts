import { HoldSweeper } from "@parley/core/effect"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { CommandContext } from "../../running/CommandContext.ts"

/** `parley credits sweep` */
export const creditsSweepCommand = Command.make(
  "sweep",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const swept = yield* HoldSweeper.use(({ sweep }) => sweep)
      const { charged, credits, refused, released } = swept
      yield* printResult(json, swept, [
        `Ended the holds of ${charged + released} replies: ${charged} charged ${credits} credits in all, ${released} released.`,
        ...(refused === 0
          ? []
          : [
              "Holds of some accounts could not be ended, since their rows contradict each other: parley credits verify."
            ])
      ])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("End the holds of replies whose process died; servers do this by themselves"),
  Command.withExamples([{ command: "parley credits sweep", description: "Harmless beside servers and other sweeps" }])
)
