import { randomUUID } from "node:crypto"
import type { Cursor } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database, LedgerClock, PgCreditLedgerLayer, PgDatabaseLayer } from "@parley/adapters-db"
import type { Difference } from "@parley/core/adapter"
import { HoldSweeper } from "@parley/core/effect"
import type { ReplyReceipt } from "@parley/core"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"
import { type Ended, eventually, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { type RunningServer, startServer } from "../processes/RunningServer.ts"
import { dropSchema } from "../race/InProcessServers.ts"

export const serverUrl = process.env["TEST_DATABASE_URL"] ?? ""

/** True if a server for these tests is configured. */
export const hasPostgres = serverUrl !== ""

/** The most tokens of a reply. */
export const TOKENS_AT_MOST = 2_000

/** One credit buys a token of output, so every token shows in the charge; the credits never run out. */
export const catalog = {
  tiers: { free: { monthlyCredits: 1_000_000 } },
  models: {
    "model-a-mini": {
      creditsPer1kInput: 100,
      creditsPer1kOutput: 1_000,
      minimumCredits: 1,
      maxOutputTokens: TOKENS_AT_MOST
    }
  }
}

/** A hold without a renewal dies after this; a heartbeat comes three times as often. */
export const HOLD_TTL_MS = 3_000
export const HEARTBEAT_MS = HOLD_TTL_MS / 3

/** A hold that the dead process left open, and the recorded output of its reply. */
export interface LeftHold {
  readonly key: string
  readonly recorded: number
}

/** A reply as it is stored. */
export interface StoredReply extends Record<string, unknown> {
  readonly content: string
  readonly state: string
}

/** One charge. */
export interface Charge {
  readonly key: string
  readonly amount: number
  readonly receipt: ReplyReceipt
}

const ahead = <A, E, R>(effect: Effect.Effect<A, E, R>, milliseconds: number): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + milliseconds,
      currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + milliseconds),
      sleep: (duration) => clock.sleep(duration)
    })
  )

const ledgerOn = (schema: string) =>
  ManagedRuntime.make(
    HoldSweeper.layer.pipe(
      // So that holds can be swept as if their life were over.
      Layer.provideMerge(Layer.provide(PgCreditLedgerLayer, Layer.succeed(LedgerClock, "caller"))),
      Layer.provideMerge(PgDatabaseLayer({ url: serverUrl, schema, maxConnections: 4 }))
    )
  )

/**
 * A real server process that is ended and started again on one schema and one folder, and a look at its ledger from
 * outside.
 */
export class CrashRig implements AsyncDisposable {
  readonly schema = `crash_${randomUUID().replaceAll("-", "").slice(0, 16)}`
  readonly #folder = temporaryFolder()
  readonly #ledger = ledgerOn(this.schema)
  /** Names the connections of the server process, so that their end can be waited for. */
  readonly #application = this.schema

  readonly #settings: Readonly<Record<string, string>>

  /** `config` is the content of the file of `PARLEY_CONFIG`; `settings` are further environment variables. */
  constructor(config: object = catalog, settings: Readonly<Record<string, string>> = {}) {
    this.#settings = settings
    writeFileSync(join(this.#folder.path, "catalog.json"), JSON.stringify(config))
  }

  get folder(): string {
    return this.#folder.path
  }

  get environment(): Readonly<Record<string, string>> {
    const url = new URL(serverUrl)
    url.searchParams.set("application_name", this.#application)
    return {
      DATABASE_URL: url.href,
      PARLEY_DB_SCHEMA: this.schema,
      PARLEY_CONFIG: "catalog.json",
      PARLEY_HOLD_TTL: String(HOLD_TTL_MS / 1_000),
      ...this.#settings
    }
  }

  /**
   * Starts a server; `port` is its database port if it is not the real one; `main` its program if it is not this one.
   */
  start({
    main,
    more = {},
    port
  }: { port?: number; more?: Readonly<Record<string, string>>; main?: string } = {}): Promise<RunningServer> {
    const url = new URL(this.environment["DATABASE_URL"] ?? "")
    if (port !== undefined) url.port = String(port)
    return startServer(this.folder, { ...this.environment, ...more, DATABASE_URL: url.href }, [], main)
  }

  /** Runs a command beside the server, in the tests' process, to its end. */
  parley(argv: ReadonlyArray<string>): Promise<Ended> {
    return runHere(argv, this.folder, this.environment)
  }

  /** Queries the database. */
  query<R extends Record<string, unknown>>(
    text: string,
    params: ReadonlyArray<unknown> = []
  ): Promise<ReadonlyArray<R>> {
    return this.#ledger.runPromise(Database.use((database) => database.statement<R>(text, params)))
  }

  /** Waits until the database is done with everything that the dead process had asked of it. */
  async connectionsGone(): Promise<void> {
    await eventually("the connections of the process to end", async () => {
      const text = "SELECT count(*) AS open FROM pg_stat_activity WHERE application_name = $1"
      const [row] = await this.query<{ open: number }>(text, [this.#application])
      return row?.open === 0 ? true : undefined
    })
  }

  leftHolds(): Promise<ReadonlyArray<LeftHold>> {
    return this.query<LeftHold & Record<string, unknown>>(
      `SELECT key, output_tokens AS recorded FROM ${this.schema}.credit_holds`
    )
  }

  /** Ends all holds as a sweep does once they have expired: their process is dead. */
  sweep(): Promise<unknown> {
    return this.#ledger.runPromise(
      ahead(
        HoldSweeper.use(({ sweep }) => sweep),
        600_000
      )
    )
  }

  charges(userId: string): Promise<ReadonlyArray<Charge>> {
    return this.query<Charge & Record<string, unknown>>(
      `SELECT reference AS key, amount, receipt FROM ${this.schema}.credit_transactions
       WHERE user_id = $1 AND type = 'usage' ORDER BY number`,
      [userId]
    )
  }

  /** The stored replies of a person, by the keys of their holds. */
  async replies(userId: string): Promise<ReadonlyMap<string, StoredReply>> {
    const rows = await this.query<StoredReply & { id: string }>(
      `SELECT id, content, state FROM ${this.schema}.messages WHERE user_id = $1 AND role = 'assistant'`,
      [userId]
    )
    return new Map(rows.map(({ id, content, state }) => [`reply:${id}`, { content, state }]))
  }

  /** The number of messages that are being written, according to their rows, and the number of running records. */
  async unended(): Promise<number> {
    const [row] = await this.query<{ unended: number }>(
      `SELECT (SELECT count(*) FROM ${this.schema}.messages WHERE state = 'streaming')
         + (SELECT count(*) FROM ${this.schema}.running_replies) AS unended`
    )
    return row?.unended ?? Number.NaN
  }

  /** Everything that `parley credits verify` would find wrong. */
  differences(): Promise<ReadonlyArray<Difference>> {
    return this.#ledger.runPromise(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const found: Array<Difference> = []
        let after: Cursor | undefined
        do {
          const chunk = yield* ledger.verify({ limit: 500, after })
          found.push(...chunk.differences)
          after = chunk.next
        } while (after !== undefined)
        return found
      })
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ledger.dispose()
    await dropSchema(serverUrl, this.schema)
    this.#folder[Symbol.dispose]()
  }
}
