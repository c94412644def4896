import { ServiceKeys } from "@parley/core/effect"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"
import { keyRow } from "./keyRow.ts"

/** `parley keys list` */
export const keysListCommand = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const keys = (yield* ServiceKeys.use(({ list }) => list)).map(keyRow)
      const lines = table(
        ["id", "name", "state", "expires", "last use", "scopes"],
        keys.map((key) => [
          key.id,
          key.name,
          key.state,
          key.expiresAt ?? "never",
          key.lastUsedAt ?? "never",
          key.scopes.join(" ")
        ])
      )
      yield* printResult(json, { keys }, lines)
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List all service keys, newest first; the keys themselves are not stored"),
  Command.withExamples([{ command: "parley keys list --json", description: "For programs" }])
)
