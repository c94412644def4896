import { createHash } from "node:crypto"
import { openCells, type OpenDatabase, openDatabase } from "@parley/adapters-db"
import { openAccount } from "@parley/core/adapter"
import { Effect } from "effect"
import pg from "pg"
import { ACCOUNTS, FUNDS } from "../credits/Contender.ts"
import { reserveAndSettle, userOf } from "../credits/parleyLedger.ts"
import { countProcessorTime } from "../measuring/processorTime.ts"
import { createTemporaryDatabase, type TemporaryDatabase } from "../measuring/temporaryDatabase.ts"

export const CALLERS = 64

/** People in one or several databases, whose pairs of reserve and settle are measured. */
export interface Contender {
  readonly name: string
  readonly urls: ReadonlyArray<string>
  readonly stores: OpenDatabase
  readonly admins: Array<pg.Client>
  readonly rates: Array<number>
  /** Processor milliseconds of this process and of all servers for one pair. */
  readonly costs: Array<number>
  readonly latencies: Array<number>
}

/** Creates the databases of contenders, and removes all of it at the end. */
export class Contenders implements AsyncDisposable {
  readonly all: Array<Contender> = []
  readonly #servers: ReadonlyArray<string>
  readonly #temporaries: Array<TemporaryDatabase> = []

  /** The nth cell is on the nth of the servers, if there are several; without one all are on that of the tests. */
  constructor(servers: ReadonlyArray<string>) {
    this.#servers = servers
  }

  async oneDatabase(name: string): Promise<Contender> {
    const url = await this.#database(0)
    return this.#add(await contender(name, await openDatabase({ url }), [url]))
  }

  async overCells(name: string, count: number): Promise<Contender> {
    const urls = await Promise.all(Array.from({ length: count }, (_, place) => this.#database(place)))
    const cells = Object.fromEntries(urls.map((url, place) => [`cell-${place}`, { url }]))
    const stores = await openCells({ global: "cell-0", cells })
    for (let place = 1; place < count; place += 1) {
      const buckets = Array.from({ length: 4096 }, (_, bucket) => bucket)
      await stores.assign(
        `cell-${place}`,
        buckets.filter((bucket) => bucket % count === place)
      )
    }
    return this.#add(await contender(name, stores, urls))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { admins, stores } of this.all) {
      await Promise.all(admins.map((admin) => admin.end()))
      await stores.close()
    }
    for (const temporary of this.#temporaries) await temporary.drop()
  }

  async #database(place: number): Promise<string> {
    const made = await createTemporaryDatabase(
      this.#servers.length === 0 ? undefined : this.#servers[place % this.#servers.length]
    )
    this.#temporaries.push(made)
    return made.url
  }

  #add(made: Contender): Contender {
    this.all.push(made)
    return made
  }
}

/** The cell of a person over several: the first 12 bits of the SHA-256 of the id, and buckets that are dealt out evenly. */
export const cellOfAccount = (account: number, cells: number): number => {
  const digest = createHash("sha256").update(userOf(account)).digest()
  return (((digest[0] ?? 0) << 4) | ((digest[1] ?? 0) >> 4)) % cells
}

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const contender = async (name: string, stores: OpenDatabase, urls: ReadonlyArray<string>): Promise<Contender> => {
  const users = Array.from({ length: ACCOUNTS }, (_, account) => userOf(account))
  const open = (userId: string) => stores.ledger.run(openAccount({ userId, tier: "free", allowance: FUNDS }))
  await Effect.runPromise(Effect.forEach(users, open, { concurrency: 500, discard: true }))
  return { name, urls, stores, admins: await Promise.all(urls.map(connected)), rates: [], costs: [], latencies: [] }
}

/** Pairs of people at random for some milliseconds; returns the milliseconds that each took. */
export const drive = async (
  { stores }: Contender,
  lastMs: number,
  accounts: ReadonlyArray<number>
): Promise<ReadonlyArray<number>> => {
  const latencies: Array<number> = []
  const start = performance.now()
  const call = async () => {
    for (let before = performance.now(); before - start < lastMs;) {
      await Effect.runPromise(
        reserveAndSettle(stores.ledger, userOf(accounts[Math.floor(Math.random() * accounts.length)] ?? 0))
      )
      const after = performance.now()
      latencies.push(after - before)
      before = after
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  return latencies
}

export const everyone: ReadonlyArray<number> = Array.from({ length: ACCOUNTS }, (_, account) => account)

/** One round of a contender: the rate, the processor time of a pair, and the latencies are added to it. */
export const measure = async (one: Contender, milliseconds: number): Promise<void> => {
  await drive(one, 400, everyone)
  const stops = await Promise.all(one.admins.map(countProcessorTime))
  const start = performance.now()
  const latencies = await drive(one, milliseconds, everyone)
  const seconds = (performance.now() - start) / 1000
  const used = await Promise.all(stops.map((stop) => stop()))
  const server = used.reduce((sum, time) => sum + (time.server ?? Number.NaN), 0)
  one.rates.push(latencies.length / seconds)
  one.costs.push(((used[0]?.client ?? Number.NaN) + server) / latencies.length)
  one.latencies.push(...latencies)
}
