import { Effect, Schedule } from "effect"
import type { JobParts } from "./jobParts.ts"

const DAY_SECONDS = 24 * 60 * 60
/** How long a job is listed after its end: done, failed. */
const KEPT_SECONDS = [DAY_SECONDS, 30 * DAY_SECONDS]
const FORGETTING = Schedule.jittered(Schedule.spaced("5 minutes"))

/** Forgets jobs that ended long ago, for ever. */
export const forgetOldJobs = ({ boss, owner, report, text }: JobParts): Effect.Effect<unknown> =>
  Effect.andThen(boss, owner.execute(text.forget, KEPT_SECONDS)).pipe(Effect.catch(report), Effect.repeat(FORGETTING))
