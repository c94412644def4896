import { Clock, Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
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
/** A look that ends so long after the last one was held up. */
const LATE_MS = 3000

const keyOf = ({ id, retryCount, heartbeat }: SilentClaim): string => `${id} ${retryCount} ${heartbeat}`

/**
 * One look for the tries of workers that died, to be repeated every second: ends those that it finds dead. Silence alone
 * is not enough, since a worker that lives cannot give a sign while the database is away, while somebody holds its row, or
 * while its machine stands still. Dead is one of whom several looks in a row found no newer sign, each of them at a moment
 * when it could have given one: the row was free, no look failed, and none was late. Between the first look and the last
 * one a worker that lives gives a sign.
 */
export const lookForDeadTries = (parts: JobParts): Effect.Effect<void, DatabaseError> => {
  const settle = settleTry(parts)
  /** How many looks in a row have found a claim with this last sign. */
  let seen: ReadonlyMap<string, number> = new Map()
  let lookedAt = -Infinity
  return Effect.gen(function* () {
    const before = seen
    seen = new Map()
    yield* parts.boss
    const rows: ReadonlyArray<unknown> = yield* parts.owner.execute(parts.text.silent, [SUSPECT_SECONDS])
    const silent = rows as ReadonlyArray<SilentClaim>
    const now = yield* Clock.currentTimeMillis
    const late = now - lookedAt > LATE_MS
    lookedAt = now
    const looks = new Map(silent.map((claim) => [keyOf(claim), 1 + (late ? 0 : (before.get(keyOf(claim)) ?? 0))]))
    for (const claim of silent) {
      const dead = claim.seconds >= LEASE_SECONDS && (looks.get(keyOf(claim)) ?? 0) >= LOOKS
      if (dead) yield* settle(claim, { _tag: "cut-short" }, claim.heartbeat)
    }
    seen = looks
  })
}

/** Ends the tries of workers that died, for ever: about seven seconds after the last sign of life. */
export const takeOverDeadTries = (parts: JobParts): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.catch(lookForDeadTries(parts), parts.report), Effect.sleep(LOOK_INTERVAL)))
