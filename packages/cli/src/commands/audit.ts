import { AuditLog, type StoredAuditEntry } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../running/checkMigrated.ts"
import { CommandContext } from "../running/CommandContext.ts"
import { jsonFlag, printResult, table } from "../running/output.ts"

const input = {
  user: Flag.String("user").pipe(Flag.withDescription("Only the actions on this person"), Flag.optional),
  since: Flag.Date("since").pipe(Flag.withDescription("Only since this time (ISO 8601)"), Flag.optional),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Number of the newest, 1 to 1000 (50)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
    Flag.withDefault(50)
  ),
  json: jsonFlag
}

const rowOf = ({ action, address, at, by, details, number, reason, userId }: StoredAuditEntry) => ({
  number,
  at: new Date(at).toISOString(),
  by,
  action,
  user: userId ?? null,
  details,
  reason: reason ?? null,
  address: address ?? null
})

/** `parley audit list` */
const auditListCommand = Command.make(
  "list",
  input,
  Effect.fnUntraced(function* ({ json, limit, since, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const found = yield* AuditLog.use((log) =>
        log.list({
          userId: Option.getOrUndefined(user),
          since: Option.getOrUndefined(since)?.getTime(),
          before: undefined,
          limit
        })
      )
      const entries = found.map(rowOf)
      const lines = table(
        ["when", "by", "action", "user", "details", "reason"],
        entries.map((row) => [row.at, row.by, row.action, row.user ?? "", row.details, row.reason ?? ""])
      )
      yield* printResult(json, { entries }, [...lines, `${entries.length} entries, newest first.`])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List the actions of operators, newest first"),
  Command.withExamples([
    { command: "parley audit list --user user-1", description: "The actions on a person" },
    { command: "parley audit list --since 2026-12-01 --json", description: "Since a day, for programs" }
  ])
)

/** `parley audit`: the actions of operators. */
export const auditCommand = Command.make("audit").pipe(
  Command.withDescription("List the actions of operators, with names and reasons"),
  Command.withExamples([{ command: "parley audit list --since 2026-12-01", description: "Since a day" }]),
  Command.withSubcommands([auditListCommand])
)
