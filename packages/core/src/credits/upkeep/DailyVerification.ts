import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { TaskRuns } from "../../background/TaskRuns.ts"
import { failureFields } from "../../storage/failureFields.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { CreditService } from "../CreditService.ts"

/** The time between two verifications, counted over all processes together. */
const EVERY = Duration.days(1)
/**
 * A run that failed, or whose process died, is repeated after this time; a run that works renews its claim every
 * `BETWEEN_SIGNS`.
 */
const RETRY = Duration.hours(1)
const BETWEEN_SIGNS = "10 minutes"
const DAILY = { task: "verify", everyMs: Duration.toMillis(EVERY), retryMs: Duration.toMillis(RETRY) } as const
const BETWEEN_LOOKS = "10 minutes"
/** The wait before the first check, because a process that starts has more urgent work. */
const BEFORE_FIRST = "1 minute"

const FOUND = "Balances differ from the rows that they follow from; parley credits verify says which."

/**
 * Compares all balances with their rows once a day, in only one of all processes, and changes nothing. If a run fails
 * or its process dies, it is repeated after an hour; a run that finds differences counts as complete.
 */
export class DailyVerification extends Context.Service<
  DailyVerification,
  {
    /**
     * Verifies all balances if a verification is due, and returns the number of differences; returns undefined
     * otherwise.
     */
    readonly verifyIfDue: Effect.Effect<number | undefined, StorageFailed>
    /** Checks every ten minutes whether a verification is due, until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/credits/DailyVerification") {
  static readonly layer = Layer.effect(
    DailyVerification,
    Effect.gen(function* () {
      const credits = yield* CreditService
      const runs = yield* TaskRuns
      const signs = Effect.ignore(runs.renew(DAILY.task)).pipe(Effect.delay(BETWEEN_SIGNS), Effect.forever)
      const verifyIfDue = Effect.gen(function* () {
        if (!(yield* runs.begin(DAILY))) return undefined
        let differences = 0
        const verify = credits.verify((found) => Effect.sync(() => void (differences += found.length)))
        yield* Effect.raceFirst(verify, signs)
        yield* runs.end("verify", differences)
        if (differences > 0) yield* Effect.annotateLogs(Effect.logError(FOUND), { differences })
        return differences
      })
      const look = Effect.catch(verifyIfDue, (failed) =>
        Effect.annotateLogs(
          Effect.logWarning("Balances could not be verified; trying again in an hour."),
          failureFields(failed)
        )
      )
      const looks = Effect.repeat(look, Schedule.jittered(Schedule.spaced(BETWEEN_LOOKS)))
      return DailyVerification.of({
        verifyIfDue,
        run: Effect.andThen(Effect.delay(looks, BEFORE_FIRST), Effect.never)
      })
    })
  )
}
