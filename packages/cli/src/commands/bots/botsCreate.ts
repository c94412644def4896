import { BotService } from "@parley/core/effect"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { botFlags, ownerFlag, settingsOf } from "./botFlags.ts"
import { botRow } from "./botRow.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { tryOut } from "../../running/tryOut.ts"

const input = {
  owner: ownerFlag,
  name: Flag.String("name").pipe(Flag.withDescription("The name that visitors see")),
  ...botFlags,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley bots create` */
export const botsCreateCommand = Command.make(
  "create",
  input,
  Effect.fnUntraced(function* ({ dryRun, json, name, owner, ...flags }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const draft = { displayName: name, ...settingsOf(flags) }
      const bots = yield* BotService
      const bot = yield* tryOut(owner, dryRun, bots.create(owner, draft))
      if (dryRun) {
        const { id: _id, keys: _keys, publicKey: _publicKey, ...row } = botRow(bot)
        return yield* printResult(json, { dryRun, ...row }, [`Would make the bot ${bot.displayName} for ${owner}.`])
      }
      const row = botRow(bot)
      yield* printResult(json, { dryRun, ...row }, [`id: ${row.id}`, `publicKey: ${row.publicKey}`])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Create a bot, and print its id and its public key"),
  Command.withExamples([
    { command: 'parley bots create --owner user-1 --name "Help desk"', description: "With default settings" },
    {
      command: 'parley bots create --owner user-1 --name Ada --welcome "Hi!" --color "#0a7d5a" --document <id>',
      description: "With a document of the owner to answer from"
    }
  ])
)
