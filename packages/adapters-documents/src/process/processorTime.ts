import { readFileSync } from "node:fs"

/** In what Linux counts the time of processes for everybody to read: hundredths of a second (`USER_HZ`). */
const MILLISECONDS_PER_TICK = 10

/**
 * The processor time that a process has used so far, all its threads together, in milliseconds: `utime` and `stime` of
 * proc(5). Undefined where the machine does not tell.
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
