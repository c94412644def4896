import { ServiceKeys } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { tryOut } from "../../running/tryOut.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { keyArgument, keyRow, shownOnce } from "./keyRow.ts"

const input = {
  id: keyArgument,
  now: Flag.Boolean("now").pipe(
    Flag.withDescription(
      "End the old key at once, for example because it leaked; otherwise it counts for 24 hours more"
    ),
    Flag.withDefault(false)
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley keys rotate <id>` */
export const keysRotateCommand = Command.make(
  "rotate",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, id, json, now, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const keys = yield* ServiceKeys
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const { key, ...rotated } = yield* tryOut("keys", dryRun, keys.rotate({ id, endsNow: now }, asked))
      const row = keyRow(rotated)
      if (dryRun) {
        return yield* printResult(json, { dryRun, ...row }, [
          `Would replace the key ${id}; the old one would end ${now ? "at once" : `at ${row.previousUntil}`}.`
        ])
      }
      yield* shownOnce
      const lines = [
        `id: ${id}`,
        `key: ${key}`,
        `The old key ${now ? "has ended" : `counts until ${row.previousUntil}`}.`
      ]
      yield* printResult(json, { ...row, key, dryRun }, lines)
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Print a new key under the same id and scopes, once; the old one counts for 24 hours more"),
  Command.withExamples([
    { command: "parley keys rotate 3f6c0a9b2d41e875", description: "Then put the new key into your service" },
    {
      command: 'parley keys rotate 3f6c0a9b2d41e875 --now --reason "leaked"',
      description: "The old key ends at once"
    }
  ])
)
