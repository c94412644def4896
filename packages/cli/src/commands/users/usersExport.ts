import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type ExportLine, UserExport } from "@parley/core/effect"
import type { StorageFailed } from "@parley/core/adapter"
import { Console, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Surroundings } from "../../Surroundings.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import type { FileNotWritten } from "../../running/commandErrors.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { onDisk, writeFile } from "../../running/writeFile.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

/**
 * Writes the bytes of an exported document to a file in `folder`, named by the document's id. The returned export line
 * contains the file's name, or null if the document has no bytes.
 */
const withFile = (userId: string, folder: string) =>
  Effect.fnUntraced(function* (line: ExportLine) {
    if (line.kind !== "document") return line
    const documentId = String(line.data["id"])
    const name = `${documentId}.${String(line.data["type"])}`
    const users = yield* UserExport
    const pieces = yield* writeFile(join(folder, name), users.file({ userId, documentId }))
    return { ...line, data: { ...line.data, file: pieces === 0 ? null : name } }
  })

/** `parley users export <user>` */
export const usersExportCommand = Command.make(
  "export",
  {
    user: userArgument,
    output: Flag.String("output").pipe(
      Flag.withDescription("Write the lines to this file, and replace an existing one; default: stdout"),
      Flag.optional
    ),
    files: Flag.String("files").pipe(
      Flag.withDescription("Write the person's uploaded files to this folder, which is created if it is missing"),
      Flag.optional
    ),
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, files, json, output, reason, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const here = (yield* Surroundings).folder
      const users = yield* UserExport
      const lines = users.lines(user, { by, reason: Option.getOrUndefined(reason) })
      const folder = Option.map(files, (given) => resolve(here, given))
      const texts = lines.pipe(
        Stream.mapEffect((line): Effect.Effect<ExportLine, FileNotWritten | StorageFailed, UserExport> => {
          if (Option.isNone(folder)) return Effect.succeed(line)
          const into = folder.value
          return line.kind === "export"
            ? Effect.as(
                onDisk(into, () => mkdir(into, { recursive: true, mode: 0o700 })),
                line
              )
            : withFile(user, into)(line)
        }),
        Stream.map((line) => JSON.stringify(line))
      )
      if (Option.isNone(output)) return yield* Stream.runForEach(texts, (text) => Console.log(text))
      const path = resolve(here, output.value)
      const count = yield* writeFile(
        path,
        Stream.map(texts, (text) => `${text}\n`)
      )
      const result = { user, output: path, files: Option.getOrNull(folder), lines: count }
      yield* printResult(json, result, [`${count} lines about ${user} were written to ${path}.`])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Export all stored data of a person, as lines of JSON, to answer a request for access"),
  Command.withExamples([
    { command: "parley users export user-1 > user-1.jsonl", description: "All lines" },
    {
      command: "parley users export user-1 --output user-1.jsonl --files user-1",
      description: "The lines in a file, and the uploaded files in a folder"
    }
  ])
)
