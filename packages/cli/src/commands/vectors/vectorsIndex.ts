import type { EmbeddedModel } from "@parley/adapters-db"
import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { asJson, asLines, eachDatabase } from "../../databases/eachDatabase.ts"
import { embeddedModel } from "./embeddedModel.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { ProgressOutput } from "../../running/ProgressOutput.ts"
import { byFlag, reasonFlag } from "../flags.ts"

const MEGABYTE = 1024 ** 2

const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / MEGABYTE))} MB`

const look = Effect.fnUntraced(function* (model: string) {
  const { embeddingsOf, findVectorIndexes } = yield* Effect.promise(() => import("@parley/adapters-db"))
  return { ...(yield* embeddingsOf(model)), ...(yield* findVectorIndexes(model)) }
})

type Found = Effect.Success<ReturnType<typeof look>>

const memoryLines = (needed: number, { memory }: Found): ReadonlyArray<string> =>
  needed <= memory
    ? []
    : [
        `Building takes about ${megabytes(needed)} of memory, and the database allows ${megabytes(memory)}: it takes far longer so.`,
        `Allow more for this command where the server has it: PGOPTIONS="-c maintenance_work_mem=${Math.ceil(needed / MEGABYTE)}MB".`
      ]

const otherLines = ({ others }: Found): ReadonlyArray<string> =>
  others.length === 0
    ? []
    : [
        `Of other models or interrupted builds ${others.length === 1 ? "there is an index" : `there are ${others.length} indexes`} more: "parley vectors drop" takes ${others.length === 1 ? "it" : "them"} away.`
      ]

const plannedLines = (model: string, needed: number, found: Found): ReadonlyArray<string> => {
  const { current, passages } = found
  if (current?.state === "valid") return [`The index over the embeddings of ${model} is there.`, ...otherLines(found)]
  if (current?.state === "building") return [`The index over the embeddings of ${model} is being built.`]
  const what = current === undefined ? "build" : "delete the rest of an interrupted build, and build"
  return [
    `Would ${what} an index over ${passages} embeddings of ${model}.`,
    ...memoryLines(needed, found),
    ...otherLines(found)
  ]
}

interface Asked {
  readonly operator: string
  readonly reason: string | undefined
  readonly json: boolean
}

/** Builds the index of one database, with progress and an entry in the audit log. */
const build = Effect.fnUntraced(function* (by: EmbeddedModel, found: Found, { json, operator, reason }: Asked) {
  const { buildingMemory, buildVectorIndex } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const entry = { action: "vectors index", by: operator, userId: undefined, reason, details: by.model }
  const onBegin = Effect.gen(function* () {
    yield* (yield* AuditLog).record(entry)
    if (json) return
    yield* Console.error(
      memoryLines(buildingMemory(by, found.passages), found).join("\n") || "Building beside everything else."
    )
  })
  const line = yield* ProgressOutput
  const onProgress = (done: number) => Effect.sync(() => line?.draw(done, found.passages, "passages"))
  return yield* buildVectorIndex({
    ...by,
    onBegin: Effect.provideService(onBegin, AuditLog, yield* AuditLog),
    onProgress: line === undefined ? undefined : onProgress
  }).pipe(Effect.ensuring(Effect.sync(() => line?.clear())))
})

/** Builds the index of one database, or with `dryRun` plans it; returns facts and lines. */
const indexOne = Effect.fnUntraced(function* (by: EmbeddedModel, dryRun: boolean, asked: Asked) {
  const { buildingMemory } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const found = yield* look(by.model)
  const memoryBytes = buildingMemory(by, found.passages)
  const reported = (built: boolean, { current, others }: Found) => ({
    built,
    model: by.model,
    passages: found.passages,
    memoryBytes,
    index: current ?? null,
    others
  })
  if (dryRun) return { facts: reported(false, found), lines: plannedLines(by.model, memoryBytes, found) }
  const built = yield* build(by, found, asked)
  const after = yield* look(by.model)
  const size = megabytes(after.current?.bytes ?? 0)
  const said = built
    ? `Built an index over ${after.passages} embeddings of ${by.model}: ${size}.`
    : `The index over the embeddings of ${by.model} is there: ${size}.`
  return { facts: reported(built, after), lines: [said, ...otherLines(after)] }
})

/** `parley vectors index` */
export const vectorsIndexCommand = Command.make(
  "index",
  { reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by: operator, dryRun, json, reason }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const by = yield* embeddedModel
      if (by === undefined) {
        yield* Console.error('No embedder is configured: nothing has embeddings. See "embedding" in PARLEY_CONFIG.')
        return yield* new Unhealthy({ exit: exitCodes.configuration })
      }
      const asked = { operator, reason: Option.getOrUndefined(reason), json }
      const found = yield* eachDatabase(indexOne(by, dryRun, asked))
      const facts = found.map(({ database, result }) => ({ database, result: result.facts }))
      const lines = found.map(({ database, result }) => ({ database, result: result.lines }))
      yield* printResult(json, { dryRun, ...(asJson(facts) as object) }, asLines(lines))
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Build the index over the embeddings of the configured model, on a Postgres server"),
  Command.withExamples([
    {
      command: "parley vectors index --dry-run",
      description: "The number of passages, the required memory and the existing indexes"
    },
    {
      command: "parley vectors index",
      description: "Beside searches and uploads; safe to stop and to repeat"
    }
  ])
)
