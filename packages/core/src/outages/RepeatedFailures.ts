import type { LogLevel } from "effect"

/** Milliseconds: a failure that has not occurred for this time is logged again. */
export const FORGOTTEN_MS = 60_000
/** The maximum number of kinds of failure that are distinguished. Above it, every record is written. */
const MOST_KINDS = 1_000

/** The fields that mark a record as that of a failure. */
const OF_FAILURES = ["failure", "error", "reason", "cause"]
/** The fields that may differ between two records of the same failure. */
const OF_OCCURRENCES: ReadonlySet<string> = new Set([
  "requestId",
  "user",
  "route",
  "durationMs",
  "operation",
  "retry",
  "delayMs",
  "hold"
])

/** The maximum number of places that are reported for one kind; further ones are counted together. */
const MOST_PLACES = 100
const OTHER_PLACES = "others"

const LEVELS: ReadonlySet<LogLevel.LogLevel> = new Set(["Warn", "Error"])

type Fields = Readonly<Record<string, unknown>>

/** The parts of a record that are compared. */
export interface LoggedFailure {
  readonly logLevel: LogLevel.LogLevel
  readonly sentence: string
  readonly fields: Fields
}

/**
 * The number of records that were left out, and their places: the hold, the route or the operation. The other fields
 * are those of the first record.
 */
export interface LeftOut extends Fields {
  readonly message: string
  readonly leftOut: number
  readonly places?: Readonly<Record<string, number>>
}

interface Kind {
  readonly sentence: string
  /** The fields that all records of the kind have in common. */
  readonly fields: Fields
  /** Unix milliseconds: the time of the last record. */
  lastAt: number
  leftOut: number
  readonly places: Map<string, number>
}

/** Detects records of repeated failures, and counts them. */
export class RepeatedFailures {
  readonly #kinds = new Map<string, Kind>()

  /** Returns true if a record repeats one of the last minute; counts the record. */
  isRepeat({ fields, logLevel, sentence }: LoggedFailure, now: number): boolean {
    if (!LEVELS.has(logLevel) || !OF_FAILURES.some((name) => fields[name] !== undefined)) return false
    const same = Object.entries(fields).filter(([name]) => !OF_OCCURRENCES.has(name))
    const name = JSON.stringify([logLevel, sentence, same.toSorted(([a], [b]) => (a < b ? -1 : 1))])
    const known = this.#kinds.get(name)
    if (known === undefined) {
      if (this.#kinds.size >= MOST_KINDS) this.#forget(now)
      if (this.#kinds.size >= MOST_KINDS) return false
      this.#kinds.set(name, {
        sentence,
        fields: Object.fromEntries(same),
        lastAt: now,
        leftOut: 0,
        places: new Map()
      })
      return false
    }
    const isRecent = now - known.lastAt < FORGOTTEN_MS
    known.lastAt = now
    if (isRecent) this.#leaveOut(known, fields)
    return isRecent
  }

  /** Returns the counts since the last call. */
  takeLeftOut(): ReadonlyArray<LeftOut> {
    const repeated = [...this.#kinds.values()].filter(({ leftOut }) => leftOut > 0)
    return repeated.map((kind) => {
      const { fields, leftOut, places, sentence } = kind
      const where = places.size === 0 ? {} : { places: Object.fromEntries(places) }
      kind.leftOut = 0
      places.clear()
      return { message: sentence, leftOut, ...fields, ...where }
    })
  }

  #leaveOut(kind: Kind, { hold, operation, route }: Fields): void {
    const { places } = kind
    kind.leftOut += 1
    const place = hold ?? route ?? operation
    if (typeof place !== "string") return
    const name = places.has(place) || places.size < MOST_PLACES ? place : OTHER_PLACES
    places.set(name, (places.get(name) ?? 0) + 1)
  }

  #forget(now: number): void {
    for (const [name, { lastAt, leftOut }] of this.#kinds) {
      if (leftOut === 0 && now - lastAt >= FORGOTTEN_MS) this.#kinds.delete(name)
    }
  }
}
