import { processorTime } from "./processorTime.ts"

/** How many times the limit may pass on the clock, where others keep the processors busy. */
const TIMES = 4
/** A process that uses less than this part of the time does not wait for a processor. */
const LEAST_SHARE = 0.02

/** Whether reading itself took the time, rather than waiting for a processor, or for nothing. */
export interface TimeOver {
  readonly used: boolean
}

/**
 * Calls `over` once the process has used so many milliseconds of processor time from now on, and not before they have
 * passed on the clock; at the latest when four times as many have passed, and at once where it does not compute at all.
 * Where the machine does not tell what processes use, the clock decides. Gives a function that ends the watch.
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
