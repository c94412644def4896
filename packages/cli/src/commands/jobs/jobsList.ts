import { JOB_STATES, type JobRecord } from "@parley/core/adapter"
import { UserId } from "@parley/core"
import { Cursor, JobQueue } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jobRow } from "./jobRow.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

const input = {
  user: Flag.String("user").pipe(
    Flag.withDescription("Only this person's jobs"),
    Flag.withSchema(UserId),
    Flag.optional
  ),
  state: Flag.Literals("state", JOB_STATES).pipe(
    Flag.withDescription(`Only jobs in this state: ${JOB_STATES.join(", ")}`),
    Flag.optional
  ),
  kind: Flag.String("kind").pipe(
    Flag.withDescription("Only jobs of this kind, for example ProcessDocument"),
    Flag.withSchema(Schema.String.check(Schema.isPattern(/^\w{1,64}$/))),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Maximum number, 1 to 200 (50)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
    Flag.withDefault(50)
  ),
  after: Flag.String("after").pipe(
    Flag.withDescription("The `next` of the previous page"),
    Flag.withSchema(Cursor),
    Flag.optional
  ),
  json: jsonFlag
}

/** The units in which the progress of a stage is counted, for stages whose unit people know. */
const units: Readonly<Record<string, string>> = { indexing: "chunk" }

/**
 * The state of a job as text, for example `running: indexing, chunk 240 of 900`. A stage with only one unit shows its
 * name alone.
 */
export const stateText = ({ progress, state }: Pick<JobRecord, "progress" | "state">): string => {
  if (progress === undefined) return state
  const { done, of, stage } = progress
  if (of <= 1) return `${state}: ${stage}`
  const unit = units[stage]
  return unit === undefined ? `${state}: ${stage} ${done} of ${of}` : `${state}: ${stage}, ${unit} ${done} of ${of}`
}

/** `parley jobs list` */
export const jobsListCommand = Command.make(
  "list",
  input,
  Effect.fnUntraced(function* ({ json, user, ...flags }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const jobs = yield* JobQueue
      const query = {
        state: Option.getOrUndefined(flags.state),
        kind: Option.getOrUndefined(flags.kind),
        after: Option.getOrUndefined(flags.after),
        limit: flags.limit
      }
      const page = yield* jobs.list(Option.getOrUndefined(user), query)
      const rows = page.jobs.map(jobRow)
      const lines = table(
        ["id", "kind", "owner", "state", "tries", "asked for", "ended"],
        page.jobs.map((job, index) => [
          job.id,
          job.kind,
          job.owner,
          stateText(job),
          `${job.tries} of ${job.triesMax}`,
          rows[index]?.createdAt ?? "",
          rows[index]?.endedAt ?? ""
        ])
      )
      const more = page.next === undefined ? [] : [`There are more: --after ${page.next}`]
      yield* printResult(json, { jobs: rows, next: page.next ?? null }, [...lines, ...more])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List queued jobs, newest first: completed ones for a day, failed ones for a month"),
  Command.withExamples([
    { command: "parley jobs list", description: "The newest jobs of all people" },
    { command: "parley jobs list --state running --json", description: "The running jobs, with progress" },
    { command: "parley jobs list --user user-1 --state failed", description: "The failed jobs of one person" }
  ])
)
