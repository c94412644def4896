import { BotService } from "@parley/core/effect"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { botRow } from "./botRow.ts"
import { ownerFlag } from "./botFlags.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

/** `parley bots list` */
export const botsListCommand = Command.make(
  "list",
  { owner: ownerFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, owner }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const bots = (yield* BotService.use((service) => service.list(owner))).map(botRow)
      const lines = table(
        ["id", "publicKey", "name", "active", "model", "documents"],
        bots.map((bot) => [
          bot.id,
          bot.publicKey ?? "",
          bot.displayName,
          bot.active ? "yes" : "no",
          bot.modelId ?? "",
          bot.documentIds.length
        ])
      )
      yield* printResult(json, { bots }, lines)
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List a person's bots, newest first"),
  Command.withExamples([{ command: "parley bots list --owner user-1 --json", description: "With all their settings" }])
)
