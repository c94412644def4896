import { Clock, Effect } from "effect"

/** A request that was refused because of its sender or its origin. */
export interface Refusal {
  readonly route: string
  readonly code: string
  /** A finer distinction, from a closed list. */
  readonly problem: string | undefined
  readonly userId: string | undefined
  /** It may be an attack: a warning. */
  readonly suspicious: boolean
}

/** The log of refusals. A client that repeats refused requests neither fills the disk nor hides those of others. */
export interface RefusalLog {
  readonly note: (refusal: Refusal) => Effect.Effect<void>
}

const WINDOW_MS = 60_000
/** Lines of one kind in a window, and of them those about one user. */
const LINES_AT_MOST = 20
const LINES_OF_USER_AT_MOST = 5

/** The counts of logged and omitted refusals of one kind since a time. */
interface Window {
  readonly since: number
  readonly ofUser: Map<string, number>
  lines: number
  unlogged: number
}

/** Line ends and invisible characters, which could make one line look like several. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Counts a refusal; returns true if it is to be logged. */
const isWithinBounds = (window: Window, userId: string | undefined): boolean => {
  const before = userId === undefined ? 0 : (window.ofUser.get(userId) ?? 0)
  if (window.lines >= LINES_AT_MOST || before >= LINES_OF_USER_AT_MOST) {
    window.unlogged++
    return false
  }
  window.lines++
  if (userId !== undefined) window.ofUser.set(userId, before + 1)
  return true
}

/**
 * Creates a log that writes at most twenty lines a minute for each kind of refusal, five of them about one user. The
 * first line after that minute reports the number of omitted ones.
 */
export const makeRefusalLog = (): RefusalLog => {
  const windows = new Map<string, Window>()
  return {
    note: Effect.fnUntraced(function* ({ code, problem, route, suspicious, userId }) {
      const now = yield* Clock.currentTimeMillis
      const kind = `${code} ${problem ?? ""}`
      const known = windows.get(kind)
      const isOver = known === undefined || Math.abs(now - known.since) >= WINDOW_MS
      const window = isOver ? { since: now, ofUser: new Map<string, number>(), lines: 0, unlogged: 0 } : known
      windows.set(kind, window)
      if (!isWithinBounds(window, userId)) return
      const fields = {
        route,
        code,
        ...(problem === undefined ? {} : { problem }),
        ...(userId === undefined ? {} : { userId: userId.replaceAll(INVISIBLE, "\ufffd") }),
        ...(isOver && known !== undefined && known.unlogged > 0 ? { unloggedBefore: known.unlogged } : {})
      }
      const sentence = "A request was refused."
      yield* Effect.annotateLogs(suspicious ? Effect.logWarning(sentence) : Effect.logInfo(sentence), fields)
    })
  }
}
