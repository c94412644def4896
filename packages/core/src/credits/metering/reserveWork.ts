import { Effect } from "effect"
import { IdGenerator } from "../../storage/storedForms.ts"
import type { CreditLedger } from "../CreditLedger.ts"
import { HoldNotFound, InvalidWork, KeyConflict } from "../errors.ts"
import { insufficientCredits } from "../holds/Hold.ts"
import type { WorkReceiptDraft } from "../Transaction.ts"
import { type NextAttempt, reserveAttempt, type ReserveWorkInput, type WorkAttempt } from "./decideWork.ts"
import { workFingerprint, workKey } from "./workKey.ts"
import type { WorkName, WorkReservation } from "./Metering.ts"

/** The maximum number of attempts under one key; a further attempt would hardly succeed. */
export const MAX_ATTEMPTS = 100

/** The draft of a hold for which no usage has been recorded. */
export const NOTHING_YET: WorkReceiptDraft = { lines: [], ended: "expired" }

/** Asks each attempt of a key, from the first on, until an attempt gives an answer other than `Next`. */
export const atAttempts = <A extends { readonly _tag: string }, E>(
  { key, userId }: WorkName,
  most: number,
  ask: (attempt: WorkAttempt) => Effect.Effect<A | NextAttempt, E>
): Effect.Effect<A, E | InvalidWork> =>
  Effect.gen(function* () {
    for (let place = 1; place <= most; place++) {
      const before = place === 1 ? undefined : workKey(key, place - 1)
      const answer = yield* ask({ userId, key: workKey(key, place), before })
      if (answer._tag !== "Next") return answer as A
    }
    return yield* new InvalidWork({ key, reason: `it was tried ${MAX_ATTEMPTS} times; give it another key` })
  })

/** Replaces the key of an attempt in an error by the key that the caller gave. */
export const underOwnKey = <A, E>({ key }: WorkName, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapError(work, (error) => {
    if (error instanceof KeyConflict) return new KeyConflict({ key }) as E
    return error instanceof HoldNotFound ? (new HoldNotFound({ key }) as E) : error
  })

/** Holds credits for the next attempt at work, unless an attempt is open or was paid. The account has to exist. */
export const reserveWork = (
  ledger: CreditLedger["Service"],
  bound: WorkReservation,
  { endsExpired, ttlMs }: { readonly ttlMs: number } & Pick<ReserveWorkInput, "endsExpired">
) =>
  Effect.gen(function* () {
    const { amount, dailyCap, lifetimeSeconds, minimumAmount = amount, source } = bound
    const id = yield* Effect.flatMap(IdGenerator, (ids) => ids.next)
    const fingerprint = workFingerprint({ amount, minimumAmount, source, lifetimeSeconds })
    const asked = { fingerprint, amount, minimumAmount, source, dailyCap, ttlMs, endsExpired, draft: NOTHING_YET }
    const reserved = yield* underOwnKey(
      bound,
      atAttempts(bound, MAX_ATTEMPTS, (attempt) => ledger.run(reserveAttempt({ ...attempt, ...asked }, id)))
    ).pipe(Effect.catchTag(["AccountNotFound", "HoldNotFound"], Effect.die))
    if (reserved._tag === "Busy") return yield* Effect.die("No bound of open holds was given.")
    if (reserved._tag === "Refused") return yield* insufficientCredits(minimumAmount, reserved)
    return reserved
  })
