import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { asJson, asLines, eachDatabase } from "../../databases/eachDatabase.ts"
import { embeddedModel } from "./embeddedModel.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"

const allFlag = Flag.Boolean("all").pipe(
  Flag.withDescription("Also drop the index in use; then every search compares all passages"),
  Flag.withDefault(false)
)

/** `parley vectors drop` */
export const vectorsDropCommand = Command.make(
  "drop",
  { all: allFlag, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ all, by: operator, dryRun, json, reason }) {
    const dropOne = Effect.gen(function* () {
      const { dropVectorIndexes } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const by = yield* embeddedModel
      const drop = (dry: boolean) => dropVectorIndexes({ model: by?.model, all, dryRun: dry })
      const planned = yield* drop(true)
      if (!dryRun && planned.length > 0) {
        const details = planned.map(({ model }) => model).join(", ")
        const why = Option.getOrUndefined(reason)
        const entry = { action: "vectors drop", by: operator, userId: undefined, reason: why, details }
        yield* AuditLog.use((log) => log.record(entry))
      }
      return { dropped: dryRun ? planned : yield* drop(false) }
    })
    const linesOf = ({ dropped }: Effect.Success<typeof dropOne>): ReadonlyArray<string> =>
      dropped.length === 0
        ? ["There is nothing to take away."]
        : dropped.map(
            ({ model, state }) =>
              `${dryRun ? "Would take" : "Took"} away the index over the embeddings of ${model}${state === "invalid" ? ", which was never finished" : ""}.`
          )
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const found = yield* eachDatabase(dropOne)
      const lines = found.map(({ database, result }) => ({ database, result: linesOf(result) }))
      yield* printResult(json, { dryRun, ...(asJson(found) as object) }, asLines(lines))
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Drop unfinished indexes, and those of models that are not configured"),
  Command.withExamples([
    { command: "parley vectors drop --dry-run", description: "List these indexes" },
    { command: "parley vectors drop", description: "After another model has embedded all documents" }
  ])
)
