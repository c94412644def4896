import { setTimeout as sleep } from "node:timers/promises"
import type { ModelVendor } from "./ModelVendor.ts"
import type { OwnPostgres } from "./OwnPostgres.ts"

/** The approximate length of a cycle. Each fault occurs once in every cycle of the run. */
const CYCLE_MS = 600_000
const VENDOR_AWAY_MS = 30_000
const POSTGRES_AWAY_MS = 3_000
/** A command that must meet no fault begins at least this long before the next fault; it takes less time. */
const BEFORE_MS = 10_000
/** The time after the end of a fault in which requests may still fail. */
const AFTER_MS = 15_000

interface Window {
  readonly from: number
  to: number
}

interface Fault {
  readonly name: string
  readonly atMs: number
  readonly play: () => Promise<void>
}

/** Causes faults at fixed times, and knows the times in which requests may fail because of them. */
export class Faults {
  readonly #windows: Array<Window> = []
  readonly #plan: ReadonlyArray<Fault>
  #start = Infinity

  constructor(vendor: ModelVendor, postgres: OwnPostgres, durationMs: number) {
    const cycles = Math.max(1, Math.round(durationMs / CYCLE_MS))
    const cycleMs = durationMs / cycles
    const awayVendor = async () => {
      await vendor.leave()
      await sleep(VENDOR_AWAY_MS)
      await vendor.comeBack()
    }
    this.#plan = Array.from({ length: cycles }, (_, cycle) => [
      { name: "the model provider is away", atMs: (cycle + 0.33) * cycleMs, play: awayVendor },
      {
        name: "the connections to Postgres are terminated",
        atMs: (cycle + 0.62) * cycleMs,
        play: () => postgres.terminateConnections()
      },
      { name: "Postgres restarts", atMs: (cycle + 0.7) * cycleMs, play: () => postgres.restart(POSTGRES_AWAY_MS) }
    ]).flat()
  }

  /** Causes all faults, one after another, from now on. */
  async play(say: (line: string) => void): Promise<void> {
    this.#start = Date.now()
    for (const { atMs, name, play } of this.#plan) {
      await sleep(Math.max(0, this.#start + atMs - Date.now()))
      const window: Window = { from: Date.now(), to: Infinity }
      this.#windows.push(window)
      say(`fault: ${name}`)
      await play()
      window.to = Date.now() + AFTER_MS
      say(`fault over: ${name}`)
    }
  }

  /** True if a fault may have affected something that took place in this span of time, in Unix milliseconds. */
  met({ from, to }: { readonly from: number; readonly to: number }): boolean {
    return this.#windows.some((window) => from <= window.to && to >= window.from)
  }

  /** Waits until no fault is active and none begins soon. */
  async quiet(): Promise<void> {
    const isSoon = ({ atMs }: Fault) => {
      const inMs = this.#start + atMs - Date.now()
      return inMs >= 0 && inMs < BEFORE_MS
    }
    while (this.met({ from: Date.now(), to: Date.now() }) || this.#plan.some(isSoon)) await sleep(500)
  }
}
