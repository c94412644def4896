import { Context } from "effect"

/** Draws and removes the line of a progress bar. */
export interface ProgressLine {
  draw(done: number, total: number): void
  clear(): void
}

const WIDTH = 30

const lineOn = (terminal: NodeJS.WriteStream): ProgressLine => ({
  draw: (done, total) => {
    const part = total === 0 ? 1 : Math.min(1, done / total)
    const full = Math.round(part * WIDTH)
    const bar = "#".repeat(full) + "-".repeat(WIDTH - full)
    terminal.write(`\r[${bar}] ${String(Math.floor(part * 100)).padStart(3)} % (${done} of ${total})`)
  },
  clear: () => void terminal.write("\r\u001B[2K")
})

/** Where progress is shown: on stderr where a person looks at it, else nowhere. */
export class ProgressOutput extends Context.Reference<ProgressLine | undefined>("@parley/cli/commands/ProgressOutput", {
  defaultValue: () => (process.stderr.isTTY ? lineOn(process.stderr) : undefined)
}) {}
