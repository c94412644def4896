import { type FileHandle, open, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { ARCHIVED_KINDS, archiveRows } from "@parley/adapters-db"
import { AUDIT_KEPT_MS, AuditLog } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Surroundings } from "../../Surroundings.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { ArchiveNotWritten, UsageMistake } from "../../running/commandErrors.ts"
import { eachDatabase } from "../../databases/eachDatabase.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { byFlag } from "../flags.ts"

const DAY_MS = 86_400_000
const compress = promisify(gzip)

const input = {
  kind: Argument.Literals("kind", ARCHIVED_KINDS).pipe(
    Argument.withDescription(
      "chats (of people), conversations (of visitors), audit, or payments (the content of the provider's events)"
    )
  ),
  olderThan: Flag.Int("older-than").pipe(
    Flag.withDescription("Days since the last message, or since the entry or event; 1 to 36500, for audit 30 at least"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 })))
  ),
  output: Flag.String("output").pipe(
    Flag.withDescription("Write the rows to this new file (gzip, a line of JSON each)")
  ),
  by: byFlag,
  json: jsonFlag
}

const onDisk = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new ArchiveNotWritten({ path, problem: String(Object(cause).code ?? "unknown") })
  })

/** A new file in which each part is on the disk before `append` ends. It is removed if nothing was written to it. */
const openArchive = (path: string) =>
  Effect.acquireRelease(
    onDisk(path, async () => {
      const file = await open(path, "wx", 0o600)
      // The name of a new file is on the disk only after its folder is.
      const folder = await open(dirname(path), "r")
      await folder.sync().finally(() => folder.close())
      return file
    }),
    (file) =>
      Effect.promise(async () => {
        const { size } = await file.stat()
        await file.close()
        if (size === 0) await rm(path, { force: true })
      })
  )

/** Appends lines as a gzip member of their own (RFC 1952, 2.2). */
const append = (path: string, file: FileHandle) => (lines: ReadonlyArray<string>) =>
  onDisk(path, async () => {
    await file.appendFile(await compress(`${lines.join("\n")}\n`))
    await file.datasync()
  })

/** `parley archive` */
export const archiveCommand = Command.make(
  "archive",
  input,
  Effect.fnUntraced(function* ({ by, json, kind, olderThan, output }) {
    if (kind === "audit" && olderThan * DAY_MS < AUDIT_KEPT_MS) {
      return yield* new UsageMistake({ problem: "Entries of the audit log stay for 30 days: --older-than 30 or more." })
    }
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const path = resolve((yield* Surroundings).folder, output)
      const age = `older than ${olderThan} ${olderThan === 1 ? "day" : "days"}`
      const file = yield* openArchive(path)
      const entry = { action: "archive", by, userId: undefined, reason: undefined, details: `${kind} ${age}` }
      yield* AuditLog.use((log) => log.record(entry))
      const counts = yield* eachDatabase(archiveRows(kind, olderThan * DAY_MS, append(path, file)))
      const archived = counts.reduce((sum, { result }) => sum + result, 0)
      const text = archived === 0 ? `There are no ${kind} ${age}.` : `${archived} ${kind} ${age} were moved to ${path}.`
      yield* printResult(json, { archived, output: archived === 0 ? null : path }, [text])
    })
    yield* CommandContext.use((context) => context.run(Effect.scoped(work)))
  })
).pipe(
  Command.withDescription("Move old chats, conversations, audit entries or payment events from the database to a file"),
  Command.withExamples([
    {
      command: "parley archive chats --older-than 365 --output chats.jsonl.gz",
      description: "Chats without a message for a year"
    },
    {
      command: "parley archive audit --older-than 730 --output audit.jsonl.gz",
      description: "Entries of the audit log"
    }
  ])
)
