import { OperatorReports, type WorkFinding } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const ADVICE = {
  workers: 'Start "parley work", or a server without --no-work.',
  jobs: 'Start more workers ("parley work"), and look at their logs: parley jobs list.'
}

const checkOf = ({ detail, name, status }: WorkFinding): Check => {
  if (status === "ok") return ok(name, detail)
  return status === "unused" ? note(name, detail, ADVICE[name]) : failed(name, exitCodes.failed, detail, ADVICE[name])
}

/**
 * Checks that a worker is alive and that no job waits too long. With the embedded database only the server does
 * background work, so a missing worker is not reported if no server runs.
 */
export const workChecks = ({ database }: ParleyConfig) =>
  Effect.map(
    OperatorReports.use(({ work }) => work),
    (findings): ReadonlyArray<Check> => {
      const isIdle =
        database._tag === "Embedded" && findings.some(({ name, status }) => name === "workers" && status !== "ok")
      return isIdle ? [] : findings.map(checkOf)
    }
  ).pipe(
    Effect.catchTag("StorageFailed", () =>
      Effect.succeed([
        failed("workers", exitCodes.unavailable, "they could not be read", "Check that the database answers.")
      ])
    )
  )
