import { memoryUsage } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import type { SoakedProcess } from "./installation/SoakedProcess.ts"

const MIB = 2 ** 20
const INTERVAL_MS = 10_000

/** The measured values of one quantity of one process, in order. */
export interface Series {
  readonly owner: string
  readonly quantity: Quantity
  readonly values: Array<{ readonly at: number; readonly value: number }>
}

export const QUANTITIES = [
  "memory, MiB",
  "heap, MiB",
  "descriptors",
  "child processes",
  "event loop p99, ms",
  "replies running",
  "connections",
  "open holds",
  "oldest hold, s",
  "jobs due"
] as const
export type Quantity = (typeof QUANTITIES)[number]

type Sample = Partial<Record<Quantity, number>>

/** Returns the sum of a metric over all its attributes; `name` is its name in Prometheus' format. */
const sumOf = (text: string, name: string): number | undefined => {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "gm"))].map(([, value]) =>
    Number(value)
  )
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
}

const scaled = (value: number | undefined, factor: number) => (value === undefined ? undefined : value * factor)

const defined = (sample: Record<string, number | undefined>): Sample =>
  Object.fromEntries(Object.entries(sample).filter(([, value]) => value !== undefined))

/** Reads the quantities of one process. */
export const sampleProcess = async (watched: SoakedProcess): Promise<Sample> => {
  const text = (await watched.metrics()) ?? ""
  const { children, descriptors, memory } = watched.resources()
  return defined({
    "memory, MiB": memory / MIB,
    "heap, MiB": scaled(sumOf(text, "v8js_memory_heap_used_bytes"), 1 / MIB),
    descriptors,
    "child processes": children,
    "event loop p99, ms": scaled(sumOf(text, "nodejs_eventloop_delay_p99_seconds"), 1_000),
    "replies running": sumOf(text, "parley_replies_active"),
    "oldest hold, s": sumOf(text, "parley_holds_oldest_age_seconds"),
    "jobs due": sumOf(text, "parley_jobs_depth")
  })
}

/** Reads the quantities of the database; fails while the database is down. */
const sampleDatabase = async (pool: pg.Pool): Promise<Sample> => {
  const { rows } = await pool.query<{ connections: number; holds: number }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'parley') AS connections,
            (SELECT count(*)::int FROM parley.credit_holds) AS holds`
  )
  return defined({ connections: rows[0]?.connections, "open holds": rows[0]?.holds })
}

const sampleDriver = (): Sample => {
  const { heapUsed, rss } = memoryUsage()
  return { "memory, MiB": rss / MIB, "heap, MiB": heapUsed / MIB }
}

/** Samples all processes, the database and this program itself. */
export class Sampler {
  readonly series: Array<Series> = []
  readonly #processes: ReadonlyArray<SoakedProcess>
  readonly #pool: pg.Pool

  constructor(processes: ReadonlyArray<SoakedProcess>, pool: pg.Pool) {
    this.#processes = processes
    this.#pool = pool
  }

  /** Samples at once and then at each interval, until it is stopped. */
  run(): { readonly stop: () => Promise<void> } {
    const stopped = new AbortController()
    const sampling = (async () => {
      while (!stopped.signal.aborted) {
        await this.#sample()
        await sleep(INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    })()
    // The failure is reported by `stop`.
    sampling.catch(() => undefined)
    return {
      stop: () => {
        stopped.abort()
        return sampling
      }
    }
  }

  async #sample(): Promise<void> {
    for (const watched of this.#processes) this.#keep(watched.name, await sampleProcess(watched))
    this.#keep("Postgres", await sampleDatabase(this.#pool).catch(() => ({})))
    this.#keep("this driver", sampleDriver())
  }

  #keep(owner: string, sample: Sample): void {
    for (const quantity of QUANTITIES) {
      const value = sample[quantity]
      if (value === undefined) continue
      let series = this.series.find((each) => each.owner === owner && each.quantity === quantity)
      if (series === undefined) this.series.push((series = { owner, quantity, values: [] }))
      series.values.push({ at: Date.now(), value })
    }
  }
}
