import type { Faults } from "./installation/Faults.ts"
import { type Answer, codeOf } from "./acts/send.ts"

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

const linesOf = (counts: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  [...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, count]) => `  ${count} x ${name}`)

/** Counts the responses to all acts: expected ones, failures, and failures during a fault. */
export class Outcomes {
  readonly #faults: Faults
  readonly #expected = new Map<string, number>()
  readonly #disturbed = new Map<string, number>()
  readonly #failures = new Map<string, number>()

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /**
   * Counts a response; returns true if it is as expected. A fault excuses refusals and broken responses, but not a
   * complete success with the wrong content.
   */
  count(act: string, answer: Answer, isExpected: boolean): boolean {
    const code = codeOf(answer)
    const name = `${act}: ${answer.status} ${answer.end}${code === undefined || answer.status < 400 ? "" : ` ${code}`}`
    if (isExpected) add(this.#expected, name)
    else if (answer.end === "whole" && answer.status < 300) add(this.#failures, `${name}, with other content`)
    else add(this.#faults.met(answer) ? this.#disturbed : this.#failures, name)
    return isExpected
  }

  /** Counts a failure of something that began at `from`, in Unix milliseconds, and ended now. */
  fail(what: string, from = Date.now()): void {
    add(this.#faults.met({ from, to: Date.now() }) ? this.#disturbed : this.#failures, what)
  }

  get hasFailures(): boolean {
    return this.#failures.size > 0
  }

  report(): string {
    return [
      "Responses:",
      ...linesOf(this.#expected),
      "Other responses, while a fault was on:",
      ...linesOf(this.#disturbed),
      this.#failures.size === 0 ? "No failures." : "FAILURES:",
      ...linesOf(this.#failures)
    ].join("\n")
  }
}
