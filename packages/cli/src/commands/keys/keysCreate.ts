import { SERVICE_SCOPES } from "@parley/core"
import { ServiceKeyName, ServiceKeys } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { tryOut } from "../../running/tryOut.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { keyRow, shownOnce } from "./keyRow.ts"

const input = {
  name: Flag.String("name").pipe(
    Flag.withDescription("Your name for the key, for example that of the service"),
    Flag.withSchema(ServiceKeyName)
  ),
  scope: Flag.Literals("scope", SERVICE_SCOPES).pipe(
    Flag.withDescription(`A right of the key; may be repeated: ${SERVICE_SCOPES.join(", ")}`),
    Flag.atLeast(1)
  ),
  expires: Flag.Date("expires").pipe(
    Flag.withDescription("When the key expires (ISO 8601); without it, the key does not expire"),
    Flag.optional
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley keys create` */
export const keysCreateCommand = Command.make(
  "create",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, expires, json, name, reason, scope }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const wanted = { name, scopes: scope, expiresAt: Option.getOrUndefined(expires)?.getTime() }
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const keys = yield* ServiceKeys
      const { key, ...created } = yield* tryOut("keys", dryRun, keys.create(wanted, asked))
      if (dryRun) {
        const { id: _id, ...row } = keyRow(created)
        return yield* printResult(json, { dryRun, ...row }, [`Would create the key ${name} for ${scope.join(", ")}.`])
      }
      yield* shownOnce
      const { id, ...row } = keyRow(created)
      yield* printResult(json, { id, key, dryRun, ...row }, [`id: ${id}`, `key: ${key}`])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Create a service key, and print its id and the key, once"),
  Command.withExamples([
    {
      command: "parley keys create --name invoices --scope credits:read --scope credits:grant",
      description: "A key that reads balances and grants credits"
    },
    {
      command: "parley keys create --name migration --scope users:write --expires 2027-01-01",
      description: "A key that expires"
    }
  ])
)
