import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "./checkMigrated.ts"
import { CommandContext } from "./CommandContext.ts"
import { embeddedModel } from "./embeddedModel.ts"
import { dryRunFlag, jsonFlag, printResult } from "./output.ts"

const allFlag = Flag.Boolean("all").pipe(
  Flag.withDescription("Also the one that is searched: every search compares all passages then"),
  Flag.withDefault(false)
)

/** `parley vectors drop` */
export const vectorsDropCommand = Command.make(
  "drop",
  { all: allFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ all, dryRun, json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { dropVectorIndexes } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const by = yield* embeddedModel
      const dropped = yield* dropVectorIndexes({ model: by?.model, all, dryRun })
      const lines = dropped.map(
        ({ model, state }) =>
          `${dryRun ? "Would take" : "Took"} away the index over the embeddings of ${model}${state === "invalid" ? ", which was never finished" : ""}.`
      )
      yield* printResult(json, { dryRun, dropped }, lines.length === 0 ? ["There is nothing to take away."] : lines)
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Take away indexes over embeddings of models that are not configured, and unfinished ones"),
  Command.withExamples([
    { command: "parley vectors drop --dry-run", description: "Which those are" },
    { command: "parley vectors drop", description: "After another model has embedded all documents" }
  ])
)
