import { readdirSync, readFileSync } from "node:fs"
import type { ParserLimits } from "../ParserLimits.ts"

const MEBIBYTE = 1024 * 1024

/** Returns how long reading a document of a size may take, in milliseconds: in proportion to the size, within a bound. */
export const timeLimit = (limits: ParserLimits, bytes: number): number =>
  Math.min(limits.maxMilliseconds, limits.baseMilliseconds + (limits.millisecondsPerMebibyte * bytes) / MEBIBYTE)

/** Linux counts the processor time of processes in hundredths of a second (`USER_HZ`). */
const MILLISECONDS_PER_TICK = 10

/** The fields of a process in `/proc`, from its state on, by proc(5); undefined if the machine does not report it. */
const fieldsOf = (pid: number | string | undefined): ReadonlyArray<string> | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is a name in parentheses, which may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

const timeAmong = (fields: ReadonlyArray<string>, places: ReadonlyArray<number>): number =>
  places.reduce((ticks, place) => ticks + Number(fields[place]), 0) * MILLISECONDS_PER_TICK

/** `utime` and `stime`, and the same of the ended children that the process waited for. */
const OWN = [11, 12]
const WITH_CHILDREN = [...OWN, 13, 14]
const GROUP = 2

/**
 * Returns the processor time that all threads of a process have used together, in milliseconds. Undefined if the machine
 * does not report it.
 */
export const processorTime = (pid: number | undefined): number | undefined => {
  const fields = fieldsOf(pid)
  return fields && timeAmong(fields, OWN)
}

/** The same of all processes of a group, which has the number of its first process. */
export const groupProcessorTime = (group: number | undefined): number | undefined => {
  if (fieldsOf(group) === undefined) return undefined
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return processes.reduce((time, pid) => {
    const fields = fieldsOf(pid)
    return fields?.[GROUP] === String(group) ? time + timeAmong(fields, WITH_CHILDREN) : time
  }, 0)
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
 * Calls `over` once a process, whose processor time `timeOf` returns, has used its milliseconds of processor time, and not before they have passed on the
 * clock; at the latest when four times as many have passed on the clock, and at once if the process does not compute.
 * If the machine does not report processor time, the clock decides. Returns a function that ends the watch.
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
