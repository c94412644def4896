import { type ErasedUser, UserService } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

const linesOf = (user: string, { chats, documents, pseudonym, transactions }: ErasedUser): ReadonlyArray<string> => [
  `${user} was erased: ${chats} chats and ${documents} documents were removed.`,
  ...(transactions === 0 ? [] : [`${transactions} rows of the ledger stay, under the name ${pseudonym}.`])
]

/** `parley users delete <user>` */
export const usersDeleteCommand = Command.make(
  "delete",
  { user: userArgument, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, dryRun, json, reason, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const users = yield* UserService
      if (dryRun) {
        const found = yield* users.find(user)
        const line = `Would erase ${user}: ${found.chats} chats and ${found.documents} documents; ${found.transactions} rows of the ledger would stay under a pseudonym.`
        return yield* printResult(json, { user, dryRun, ...found }, [line])
      }
      const erased = yield* users.erase(user, { by, reason: Option.getOrUndefined(reason) })
      yield* printResult(json, { user, dryRun, ...erased }, linesOf(user, erased))
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Erase a person: chats, documents, remaining credits. Cannot be undone"),
  Command.withExamples([
    { command: "parley users delete user-1 --dry-run", description: "List the person's data" },
    { command: "parley users delete user-1", description: "Erase the person; the ledger's rows stay under a pseudonym" }
  ])
)
