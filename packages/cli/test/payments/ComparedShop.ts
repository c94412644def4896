import { randomUUID } from "node:crypto"
import { Database, type OpenDatabase, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { makeStripePayments } from "@parley/adapters-stripe"
import { memoryStore, StandInPayments, type StandInState } from "@parley/stripe-stand-in"
import { createParley, type Parley } from "@parley/core"
import { CreditService, type ParleyServices, PaymentComparison, PaymentInbox, runtimeOf } from "@parley/core/effect"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { serverUrl } from "../crash/CrashRig.ts"
import { dropSchema } from "../race/InProcessServers.ts"
import { shopConfig, shopPrices } from "./Shop.ts"

/** The time at which each history begins. */
const START = Date.UTC(2026, 0, 31, 12)

/** One difference that `parley credits verify --with-payments` would print. */
export interface FoundDifference {
  readonly kind: string
  readonly userId: string | undefined
  readonly words: string
}

/**
 * Parley in this process on a schema of real Postgres, and a provider whose state a test may change. They share a
 * clock.
 */
export class ComparedShop implements AsyncDisposable {
  readonly schema: string
  readonly provider: StandInPayments
  /** Everything that the provider keeps. */
  readonly state: StandInState
  readonly #opened: OpenDatabase
  readonly #parley: Parley
  readonly #sql
  readonly #delivered = new Set<string>()

  private constructor(
    schema: string,
    opened: OpenDatabase,
    parley: Parley,
    provider: StandInPayments,
    state: StandInState
  ) {
    this.schema = schema
    this.provider = provider
    this.state = state
    this.#opened = opened
    this.#parley = parley
    this.#sql = ManagedRuntime.make(PgDatabaseLayer({ url: serverUrl, schema, maxConnections: 2 }))
  }

  static async open(): Promise<ComparedShop> {
    const schema = `compared_${randomUUID().replaceAll("-", "").slice(0, 16)}`
    const state = memoryStore().load()
    const provider = new StandInPayments({
      prices: shopPrices,
      publicUrl: "http://127.0.0.1:3000/dev/payments",
      now: () => START,
      store: { load: () => state, save: () => undefined }
    })
    provider.deliveries.hold = true
    const payments = makeStripePayments({
      apiKey: Redacted.make(provider.apiKey),
      webhookSecret: Redacted.make("whsec_of_the_tests"),
      apiUrl: provider.base,
      fetch: provider.fetch,
      limits: { retries: 0 }
    })
    const opened = await openDatabase({ url: serverUrl, schema, clock: "caller", logger: false, maxConnections: 4 })
    const parley = await createParley({
      ...opened,
      payments,
      config: shopConfig,
      work: false,
      logger: false,
      clock: { now: () => provider.now() }
    })
    return new ComparedShop(schema, opened, parley, provider, state)
  }

  run<A, E>(work: Effect.Effect<A, E, ParleyServices>): Promise<A> {
    return runtimeOf(this.#parley).runPromise(work)
  }

  query<R extends Record<string, unknown>>(
    text: string,
    params: ReadonlyArray<unknown> = []
  ): Promise<ReadonlyArray<R>> {
    return this.#sql.runPromise(Database.use((database) => database.statement<R>(text, params)))
  }

  /** Stores a copy of the whole shop; the returned function puts everything back as it was then. */
  async saved(): Promise<() => Promise<void>> {
    const { schema } = this
    const before = structuredClone(this.state)
    const inEachTable = (statement: string) =>
      this.query(`DO $do$
        DECLARE name text;
        BEGIN
          SET LOCAL session_replication_role = replica;
          FOR name IN SELECT t.tablename FROM pg_tables t
            WHERE t.schemaname = '${schema}' AND t.tablename ~ '^(billing|credit|payment)_'
          LOOP EXECUTE replace('${statement}', '@', name); END LOOP;
        END $do$`)
    await inEachTable(`DROP TABLE IF EXISTS ${schema}.before_@; CREATE TABLE ${schema}.before_@ AS TABLE ${schema}.@`)
    return async () => {
      await inEachTable(`DELETE FROM ${schema}.@; INSERT INTO ${schema}.@ TABLE ${schema}.before_@`)
      Object.assign(this.state, structuredClone(before))
    }
  }

  /** Empties the shop and the provider, and sets the clock back. */
  async emptied(): Promise<void> {
    this.#delivered.clear()
    for (const kept of Object.values(this.state)) {
      if (typeof kept === "object" && !Array.isArray(kept)) for (const id of Object.keys(kept)) delete kept[id]
    }
    this.state.events = []
    this.state.aheadMs = 0
    await this.query(`DO $do$
      BEGIN
        SET LOCAL session_replication_role = replica;
        EXECUTE (
          SELECT 'TRUNCATE ' || string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables
          WHERE schemaname = '${this.schema}' AND tablename !~ 'migrations');
      END $do$`)
  }

  /** Delivers every event that was not delivered yet, in the order that `arrange` returns. */
  async deliver(arrange: <A>(events: ReadonlyArray<A>) => ReadonlyArray<A> = (events) => events): Promise<void> {
    const fresh = this.provider.events.filter(({ id }) => !this.#delivered.has(id))
    for (const { id, text } of arrange(fresh)) {
      this.#delivered.add(id)
      const payload = new TextEncoder().encode(text)
      const receivedAt = this.provider.now()
      const signature = this.provider.sign(text, "whsec_of_the_tests", receivedAt)
      await this.run(PaymentInbox.use((inbox) => inbox.receive({ payload, signature, receivedAt })))
    }
  }

  /** All differences that the command would print, of the ledger and of the payments. */
  differences(): Promise<ReadonlyArray<FoundDifference>> {
    return this.run(
      Effect.gen(function* () {
        const found: Array<FoundDifference> = []
        const credits = yield* CreditService
        yield* credits.verify((differences) =>
          Effect.sync(() => {
            for (const { invariant, userId } of differences) found.push({ kind: "ledger", userId, words: invariant })
          })
        )
        const comparison = yield* PaymentComparison
        yield* comparison.compare({
          since: 0,
          onDifference: ({ found: words, kind, userId }) => Effect.sync(() => void found.push({ kind, userId, words }))
        })
        return found
      })
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.provider.close()
    await this.#parley.close()
    await this.#opened.close()
    await this.#sql.dispose()
    await dropSchema(serverUrl, this.schema)
  }
}
