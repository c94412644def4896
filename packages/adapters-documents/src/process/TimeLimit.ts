import { readFileSync } from "node:fs"
import type { ParserLimits } from "../ParserLimits.ts"

const MEBIBYTE = 1024 * 1024

/** Returns how long reading a document of a size may take, in milliseconds: in proportion to the size, within a bound. */
export const timeLimit = (limits: ParserLimits, bytes: number): number =>
  Math.min(limits.maxMilliseconds, limits.baseMilliseconds + (limits.millisecondsPerMebibyte * bytes) / MEBIBYTE)

/** Linux counts the processor time of processes in hundredths of a second (`USER_HZ`). */
const MILLISECONDS_PER_TICK = 10

/**
 * Returns the processor time that all threads of a process have used together, in milliseconds: `utime` and `stime` of
 * proc(5). Undefined if the machine does not report it.
 */
export const processorTime = (pid: number | undefined): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is a name in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? ticks * MILLISECONDS_PER_TICK : undefined
  } catch {
    return undefined
  }
}

/** If other processes keep the processors busy, the limit may take this many times as long by the clock. */
const TIMES = 4
/** A process that uses less than this part of the time does not wait for a processor. */
const LEAST_SHARE = 0.02

/** `used`: the process computed, rather than waited for a processor or did nothing. */
export interface TimeOver {
  readonly used: boolean
}

/**
 * Calls `over` once the process has used its milliseconds of processor time, and not before they have passed on the
 * clock; at the latest when four times as many have passed on the clock, and at once if the process does not compute.
 * If the machine does not report processor time, the clock decides. Returns a function that ends the watch.
 */
export const limitTime = (
  pid: number | undefined,
  milliseconds: number,
  over: (outcome: TimeOver) => void
): (() => void) => {
  const before = processorTime(pid)
  const began = performance.now()
  const judge = () => {
    const now = processorTime(pid)
    if (before === undefined || now === undefined) return over({ used: true })
    const passed = performance.now() - began
    const used = now - before
    const mayTake = Math.min(milliseconds - used, TIMES * milliseconds - passed)
    if (mayTake <= 0 || used < passed * LEAST_SHARE) return over({ used: used >= milliseconds / 2 })
    timer = setTimeout(judge, mayTake)
  }
  let timer = setTimeout(judge, milliseconds)
  return () => clearTimeout(timer)
}
