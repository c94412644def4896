import { type RotationReport, SecretRotation } from "@parley/core/effect"
import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../exitCodes.ts"
import { checkMigrated } from "../running/checkMigrated.ts"
import { Unhealthy } from "../running/commandErrors.ts"
import { CommandContext } from "../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../running/output.ts"
import { byFlag, reasonFlag } from "./flags.ts"

const left = ({ key, keys }: RotationReport): number =>
  keys.reduce((sum, { connections, keyId }) => sum + (keyId === key ? 0 : connections), 0)

const linesOf = (report: RotationReport, dryRun: boolean): ReadonlyArray<string> => {
  const { key, resealed, unreadable } = report
  const first = dryRun
    ? `Would re-encrypt ${resealed} connections with the key ${key}.`
    : `Re-encrypted ${resealed} connections with the key ${key}.`
  const lines = [first]
  if (unreadable > 0) {
    lines.push(
      `${unreadable} cannot be decrypted: the key they need is not in PARLEY_ENCRYPTION_KEY, or they were changed. Add that key, or have their owners connect again.`
    )
  }
  const waiting = left(report) - unreadable
  if (!dryRun && waiting > 0) {
    lines.push(
      `${waiting} were written meanwhile with another key: a server still encrypts with it. Start all servers with the new key first, then run this again.`
    )
  }
  if (!dryRun && left(report) === 0) lines.push("No other key is in use: it may be taken out of PARLEY_ENCRYPTION_KEY.")
  return lines
}

/** `parley secrets rotate` */
const secretsRotateCommand = Command.make(
  "rotate",
  { reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, dryRun, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const log = yield* AuditLog
      const why = Option.getOrUndefined(reason)
      const entry = { action: "secrets rotate", by, userId: undefined, reason: why, details: "" }
      const report = yield* SecretRotation.use((rotation) =>
        rotation.rotate({ apply: !dryRun, onBegin: log.record(entry) })
      )
      const waiting = left(report)
      yield* printResult(json, { dryRun, ...report, left: waiting }, linesOf(report, dryRun))
      if (report.unreadable > 0 || (!dryRun && waiting > 0)) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription(
    "Re-encrypt the stored secrets of other services with the first key of PARLEY_ENCRYPTION_KEY"
  ),
  Command.withExamples([
    { command: "parley secrets rotate --dry-run", description: "Count the secrets that another key encrypted" },
    { command: "parley secrets rotate", description: "Beside running servers; safe to stop and to repeat" }
  ])
)

/** `parley secrets`: the secrets that are stored encrypted. */
export const secretsCommand = Command.make("secrets").pipe(
  Command.withDescription("Manage the encrypted access to the CRMs that people connected"),
  Command.withExamples([{ command: "parley secrets rotate", description: "After another key was put first" }]),
  Command.withSubcommands([secretsRotateCommand])
)
