import { cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

const WINDOW_MS = 400
/** The most cores that may be busy on a machine that counts as quiet. */
const QUIET_CORES = 0.4

/** Returns the processor time of the whole machine so far, in milliseconds, without idle time. */
export const busyMilliseconds = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

/**
 * Waits until almost nothing else runs on this machine, at most `patienceMs`; returns true if the machine became quiet.
 */
export const waitUntilQuiet = async (patienceMs: number): Promise<boolean> => {
  const start = performance.now()
  while (performance.now() - start < patienceMs) {
    const before = { busy: busyMilliseconds(), at: performance.now() }
    await sleep(WINDOW_MS)
    if ((busyMilliseconds() - before.busy) / (performance.now() - before.at) < QUIET_CORES) return true
  }
  return false
}
