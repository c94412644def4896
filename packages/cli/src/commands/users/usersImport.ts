import { readFile, stat } from "node:fs/promises"
import { resolve } from "node:path"
import type { ImportReport } from "@parley/core"
import { UserImport } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Surroundings } from "../../Surroundings.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { FileNotRead, LinesRefused } from "../../running/commandErrors.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { ProgressOutput } from "../../running/ProgressOutput.ts"
import { byFlag, reasonFlag } from "../flags.ts"

/** The largest number of refused lines that are printed for people; `--json` lists all. */
const PRINTED = 20

const input = {
  file: Argument.String("file").pipe(
    Argument.withDescription(
      "A file with a JSON object on each line: user, tier, allowance, topup, anchor, stripeCustomer"
    )
  ),
  asOf: Flag.Date("as-of").pipe(
    Flag.withDescription(
      "The moment of the balances (ISO 8601): earlier payments are part of them; default: when the file was last written"
    ),
    Flag.optional
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** Reads the lines of a file, and the time at which the file was last written. */
const readLines = (path: string) =>
  Effect.tryPromise({
    try: async () => {
      const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)])
      return { lines: text.replace(/^\uFEFF/u, "").split(/\r?\n/u), writtenAt: Math.floor(mtimeMs) }
    },
    catch: (cause) =>
      new FileNotRead({ path, problem: String((cause as NodeJS.ErrnoException | undefined)?.code ?? "unknown") })
  })

const linesOf = ({ asOf, created, dryRun, refused, unchanged, updated }: ImportReport): ReadonlyArray<string> => [
  `${dryRun ? "Would import" : "Imported"} ${created + updated} people (${created} created, ${updated} updated), with their balances of ${new Date(asOf).toISOString()}; ${unchanged} unchanged, ${refused.length} refused.`,
  ...refused
    .slice(0, PRINTED)
    .map(({ line, reason, user }) => `line ${line}${user === undefined ? "" : ` (${user})`}: ${reason}`),
  ...(refused.length > PRINTED ? [`${refused.length - PRINTED} further lines were refused: --json lists all.`] : [])
]

const withProgress = Effect.fnUntraced(function* (
  lines: ReadonlyArray<string>,
  options: Parameters<UserImport["Service"]["import"]>[1]
) {
  const bar = yield* ProgressOutput
  const onProgress = (report: ImportReport) => Effect.sync(() => bar?.draw(report.lines, lines.length, "people"))
  return yield* Effect.ensuring(
    UserImport.use((users) => users.run(lines, options ?? {}, onProgress)),
    Effect.sync(() => bar?.clear())
  )
})

/** `parley users import <file>` */
export const usersImportCommand = Command.make(
  "import",
  input,
  Effect.fnUntraced(function* ({ asOf: given, by, dryRun, file, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { lines, writtenAt } = yield* readLines(resolve((yield* Surroundings).folder, file))
      const asOf = Option.getOrUndefined(given)?.getTime() ?? writtenAt
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const report = yield* withProgress(lines, { asOf, dryRun, asked })
      yield* printResult(json, { ...report, asOf: new Date(asOf).toISOString() }, linesOf(report))
      if (report.refused.length > 0) return yield* new LinesRefused({ refused: report.refused.length })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Import people with their tiers, balances and customers from another system; safe to repeat"),
  Command.withExamples([
    { command: "parley users import people.jsonl --dry-run", description: "Check all lines, and change nothing" },
    { command: "parley users import people.jsonl", description: "Import, or continue an import that was interrupted" },
    {
      command: "parley users import people.jsonl --as-of 2026-12-01T09:00:00Z",
      description: "Balances of another moment than when the file was written"
    }
  ])
)
