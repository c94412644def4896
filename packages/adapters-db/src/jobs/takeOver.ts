import { Effect } from "effect"
import type { JobParts } from "./jobParts.ts"
import type { SilentClaim } from "./jobSql.ts"
import { settleTry } from "./settleTry.ts"

/** A claim is looked at once its worker has missed more than two signs of life. */
const SUSPECT_SECONDS = 2.5
/** A claim may be taken over once its worker has been silent for so long. */
const LEASE_SECONDS = 6
/** So many looks in a row must have found the same last sign. */
const LOOKS = 3
const LOOK_INTERVAL = "1 second"

const keyOf = ({ id, retryCount, heartbeat }: SilentClaim): string => `${id} ${retryCount} ${heartbeat}`

/**
 * Ends the tries of workers that died, for ever: about seven seconds after the last sign of life. Silence alone is not
 * enough: while the database is away nobody can give a sign, so that a worker is dead only where several looks, none of
 * which failed, a second apart, found no newer sign. A look that failed begins the count anew, and so does a claim that
 * somebody else holds at the moment: its worker cannot give a sign either.
 */
export const takeOverDeadTries = (parts: JobParts): Effect.Effect<never> => {
  const settle = settleTry(parts)
  let seen = new Map<string, number>()
  const look = Effect.gen(function* () {
    yield* parts.boss
    const rows: ReadonlyArray<unknown> = yield* parts.owner.execute(parts.text.silent, [SUSPECT_SECONDS])
    const silent = rows as ReadonlyArray<SilentClaim>
    seen = new Map(silent.map((claim) => [keyOf(claim), (seen.get(keyOf(claim)) ?? 0) + 1]))
    for (const claim of silent) {
      const dead = claim.seconds >= LEASE_SECONDS && (seen.get(keyOf(claim)) ?? 0) >= LOOKS
      if (dead && !(yield* settle(claim, { _tag: "cut-short" }, claim.heartbeat))) seen.delete(keyOf(claim))
    }
  })
  const lookOrReport = Effect.catch(look, (error) => {
    seen = new Map()
    return parts.report(error)
  })
  return Effect.forever(Effect.andThen(lookOrReport, Effect.sleep(LOOK_INTERVAL)))
}
