import { isUuid, JobNotFailed, JobNotFound } from "@parley/core/adapter"
import { JobQueue } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jobRow } from "./jobRow.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { userArgument } from "../flags.ts"

const input = {
  user: userArgument,
  job: Argument.String("job").pipe(
    Argument.withDescription("The job's id, as `parley jobs list` prints it"),
    Argument.withSchema(Schema.String.check(Schema.makeFilter((text: string) => isUuid(text) || "a UUID")))
  ),
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley jobs retry <user> <job>` */
export const jobsRetryCommand = Command.make(
  "retry",
  input,
  Effect.fnUntraced(function* ({ dryRun, job: jobId, json, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const jobs = yield* JobQueue
      if (dryRun) {
        const found = yield* jobs.find(user, jobId)
        if (found === undefined) return yield* new JobNotFound({ jobId })
        if (found.state !== "failed") return yield* new JobNotFailed({ jobId, state: found.state })
        return yield* printResult(json, { dryRun, job: jobRow(found) }, [`Would try the job ${jobId} again.`])
      }
      const standing = yield* jobs.retry(user, jobId)
      const line =
        standing.id === jobId
          ? `The job ${jobId} waits for its first try.`
          : `The job ${standing.id}, asked for since, stands for it.`
      yield* printResult(json, { dryRun, job: jobRow(standing) }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Retry a failed job, with as many tries as a new one"),
  Command.withExamples([
    { command: "parley jobs retry user-1 0b5f9a52-6c1d-4f0e-9d6b-2f8a4c3e7d10", description: "Try it again" },
    {
      command: "parley jobs retry user-1 0b5f9a52-6c1d-4f0e-9d6b-2f8a4c3e7d10 --dry-run",
      description: "Only check whether it can be retried"
    }
  ])
)
