import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Faults } from "./installation/Faults.ts"
import type { Installation } from "./installation/Installation.ts"
import type { Outcomes } from "./Outcomes.ts"

/** A time that is longer than any month. */
const PERIOD_MS = 32 * 86_400_000
const SHARE_BETWEEN = 0.09
const SHORTEST_BETWEEN_MS = 15_000

/** Alternately verifies all balances and ends the periods of all accounts, during the load but outside the faults. */
export class Upkeep {
  readonly #installation: Installation
  readonly #faults: Faults
  readonly #outcomes: Outcomes
  readonly #durationMs: number
  #rounds = 0
  #verifications = 0
  /** The number of resets that the commands reported. */
  resets = 0

  constructor(installation: Installation, faults: Faults, outcomes: Outcomes, durationMs: number) {
    this.#installation = installation
    this.#faults = faults
    this.#outcomes = outcomes
    this.#durationMs = durationMs
  }

  async run(): Promise<void> {
    const end = Date.now() + this.#durationMs
    const between = Math.max(SHORTEST_BETWEEN_MS, this.#durationMs * SHARE_BETWEEN)
    while (Date.now() + between < end) {
      await sleep(between)
      await this.#faults.quiet()
      await this.verify()
      await this.#faults.quiet()
      await this.#reset()
    }
  }

  /** Recomputes all balances; a difference is a failure. */
  async verify(): Promise<void> {
    const from = Date.now()
    const exit = await this.#installation.command("credits", "verify", "--json")
    this.#verifications += 1
    if (exit !== 0) this.#outcomes.fail(`parley credits verify: exit ${exit}`, from)
  }

  report(): string {
    return `verifications: ${this.#verifications}; runs of the reset: ${this.#rounds}, which began ${this.resets} periods`
  }

  async #reset(): Promise<void> {
    this.#rounds += 1
    const asOf = new Date(Date.now() + this.#rounds * PERIOD_MS).toISOString()
    const exit = await this.#installation.command("credits", "reset", "--as-of", asOf, "--yes", "--json")
    if (exit !== 0) return this.#outcomes.fail(`parley credits reset: exit ${exit}`)
    const log = readFileSync(join(this.#installation.folder, "commands.log"), "utf8")
    this.resets += Number([...log.matchAll(/"resetCount":\s*(\d+)/g)].at(-1)?.[1] ?? Number.NaN)
  }
}
