import { BotService } from "@parley/core/effect"
import { isUuid } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { botFlags, ownerFlag, settingsOf } from "./botFlags.ts"
import { botRow } from "./botRow.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { tryOut } from "../../running/tryOut.ts"

const input = {
  bot: Argument.String("bot").pipe(
    Argument.withDescription("The bot's id, as `parley bots list` prints it"),
    Argument.withSchema(Schema.String.check(Schema.makeFilter((text: string) => isUuid(text) || "a UUID")))
  ),
  owner: ownerFlag,
  name: Flag.String("name").pipe(Flag.withDescription("The name that visitors see"), Flag.optional),
  ...botFlags,
  active: Flag.Boolean("active").pipe(
    Flag.withDescription("Switch the bot on (--active=false switches it off)"),
    Flag.optional
  ),
  newKey: Flag.Boolean("new-key").pipe(
    Flag.withDescription("Add a public key; the existing keys keep working"),
    Flag.withDefault(false)
  ),
  retireKey: Flag.String("retire-key").pipe(
    Flag.withDescription("Retire this public key, which then stops working"),
    Flag.optional
  ),
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley bots update <bot>` */
export const botsUpdateCommand = Command.make(
  "update",
  input,
  Effect.fnUntraced(function* ({ active, bot: botId, dryRun, json, name, newKey, owner, retireKey, ...flags }) {
    const change = {
      ...settingsOf(flags),
      ...(Option.isSome(name) ? { displayName: name.value } : {}),
      ...(Option.isSome(active) ? { active: active.value } : {})
    }
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const bots = yield* BotService
      const changing = Effect.gen(function* () {
        let bot = yield* bots.update(owner, botId, change)
        if (newKey) bot = yield* bots.addKey(owner, botId)
        if (Option.isSome(retireKey)) bot = yield* bots.retireKey(owner, botId, retireKey.value)
        return bot
      })
      const row = botRow(yield* tryOut(owner, dryRun, changing))
      const line = dryRun ? `Would change the bot ${row.id}.` : `The bot ${row.id} was changed.`
      const keys = row.keys.map(({ publicKey }) => `publicKey: ${publicKey}`)
      yield* printResult(json, { dryRun, ...row }, [line, ...(dryRun ? [] : keys)])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Change the named settings of a bot"),
  Command.withExamples([
    { command: "parley bots update <bot> --owner user-1 --active=false", description: "Switch it off" },
    { command: "parley bots update <bot> --owner user-1 --new-key", description: "Add a key beside the old one" },
    {
      command: "parley bots update <bot> --owner user-1 --retire-key pk_...",
      description: "Retire the old key"
    }
  ])
)
