import { ServiceKeys } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { tryOut } from "../../running/tryOut.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { keyArgument, keyRow } from "./keyRow.ts"

/** `parley keys revoke <id>` */
export const keysRevokeCommand = Command.make(
  "revoke",
  { id: keyArgument, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, dryRun, id, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const keys = yield* ServiceKeys
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const revoked = yield* tryOut("keys", dryRun, keys.revoke(id, asked))
      const line = dryRun
        ? `Would revoke the key ${id} (${revoked.name}).`
        : `The key ${id} (${revoked.name}) is revoked. Every server refuses it.`
      yield* printResult(json, { dryRun, ...keyRow(revoked) }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Revoke a service key for good, on every server at once"),
  Command.withExamples([
    { command: 'parley keys revoke 3f6c0a9b2d41e875 --reason "service retired"', description: "Revoke a key" }
  ])
)
