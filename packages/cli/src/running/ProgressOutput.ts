import { Context } from "effect"

/** Draws and removes the line of a progress bar. */
export interface ProgressLine {
  /** `unit` is the plural of the counted things. The rate and the remaining time are shown only if it is set. */
  draw(done: number, total: number, unit?: string): void
  clear(): void
}

const WIDTH = 30
/** Shortest time of measuring before a rate is shown. */
const MEASURED_MS = 2_000
/** Shortest time between two drawings of the bar. */
const REDRAWN_MS = 100

/** Formats a time span in at most two units: `54 s`, `3 min 20 s`, `2 h 5 min`. */
export const spokenTime = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}

/** The rate since the first drawing and the remaining time, as text; empty until the rate is reliable. */
export const paceOf = (done: number, total: number, elapsedMs: number): string => {
  if (done <= 0 || elapsedMs < MEASURED_MS) return ""
  const rate = done / (elapsedMs / 1_000)
  const spoken = rate >= 10 ? Math.round(rate) : Number(rate.toPrecision(2))
  return `, ${spoken}/s, ${spokenTime((total - done) / rate)} left`
}

/** A progress bar that is written to a terminal by `write`; `now` returns a time in milliseconds. */
export const makeProgressLine = (
  write: (text: string) => void,
  now: () => number = () => performance.now()
): ProgressLine => {
  let first: { readonly at: number; readonly done: number } | undefined
  let drawnAt = -Infinity
  return {
    draw: (done, total, unit) => {
      const at = now()
      first ??= { at, done }
      if (at - drawnAt < REDRAWN_MS && done < total) return
      drawnAt = at
      const part = total === 0 ? 1 : Math.min(1, done / total)
      const full = Math.round(part * WIDTH)
      const bar = "#".repeat(full) + "-".repeat(WIDTH - full)
      const counted = unit === undefined ? `${done} of ${total}` : `${done} of ${total} ${unit}`
      const pace = unit === undefined ? "" : paceOf(done - first.done, total - first.done, at - first.at)
      write(`\r[${bar}] ${String(Math.floor(part * 100)).padStart(3)} % (${counted}${pace})\u001B[K`)
    },
    clear: () => write("\r\u001B[2K")
  }
}

/** The progress bar of commands: on stderr if it is a terminal, otherwise none. */
export class ProgressOutput extends Context.Reference<ProgressLine | undefined>("@parley/cli/commands/ProgressOutput", {
  defaultValue: () => (process.stderr.isTTY ? makeProgressLine((text) => void process.stderr.write(text)) : undefined)
}) {}
