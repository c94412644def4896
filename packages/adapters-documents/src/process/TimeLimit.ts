import { readdirSync, readFileSync } from "node:fs"
import type { ParserLimits } from "../ParserLimits.ts"

const MEBIBYTE = 1024 * 1024

/**
 * Returns the time limit for reading a document of a size, in milliseconds. It grows with the size, up to a maximum.
 */
export const timeLimit = (limits: ParserLimits, bytes: number): number =>
  Math.min(limits.maxMilliseconds, limits.baseMilliseconds + (limits.millisecondsPerMebibyte * bytes) / MEBIBYTE)

/** Linux counts the processor time of processes in hundredths of a second (`USER_HZ`). */
const MILLISECONDS_PER_TICK = 10

/**
 * Returns the fields of a process in `/proc`, beginning with its state (see proc(5)); undefined if the machine does not
 * report them.
 */
const fieldsOf = (pid: number | string | undefined): ReadonlyArray<string> | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is a name in parentheses, which may contain any characters.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

const timeAmong = (fields: ReadonlyArray<string>, places: ReadonlyArray<number>): number =>
  places.reduce((ticks, place) => ticks + Number(fields[place]), 0) * MILLISECONDS_PER_TICK

/** The positions of `utime` and `stime`, and of the same times of ended children for which the process has waited. */
const OWN = [11, 12]
const WITH_CHILDREN = [...OWN, 13, 14]
const GROUP = 2

/**
 * Returns the processor time that all threads of a process have used together, in milliseconds; undefined if the
 * machine does not report it.
 */
export const processorTime = (pid: number | undefined): number | undefined => {
  const fields = fieldsOf(pid)
  return fields && timeAmong(fields, OWN)
}

/** Returns the processor time of all processes of a group. The id of a group is the id of its first process. */
export const groupProcessorTime = (group: number | undefined): number | undefined => {
  if (fieldsOf(group) === undefined) return undefined
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return processes.reduce((time, pid) => {
    const fields = fieldsOf(pid)
    return fields?.[GROUP] === String(group) ? time + timeAmong(fields, WITH_CHILDREN) : time
  }, 0)
}

/** If other processes keep the processors busy, reading may take up to this multiple of the limit by the clock. */
const TIMES = 4
/** A process that uses less than this share of the time is idle, and is not waiting for a processor. */
const LEAST_SHARE = 0.02

/** `used` is true if the process was computing; false if it was waiting for a processor or was idle. */
export interface TimeOver {
  readonly used: boolean
}

/**
 * Calls `over` after a process has used `milliseconds` of processor time, but not before the same time has passed on
 * the clock. It calls `over` at the latest when four times that has passed on the clock, and as soon as the time has
 * passed if the process is not computing. `timeOf` returns the processor time; if the machine does not report it, only
 * the clock decides. Returns a function that ends the watch.
 */
export const limitTime = (
  timeOf: () => number | undefined,
  milliseconds: number,
  over: (outcome: TimeOver) => void
): (() => void) => {
  const before = timeOf()
  const began = performance.now()
  const judge = () => {
    const now = timeOf()
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
