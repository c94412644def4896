import { Catalog, VisitorGate, VisitorLimitReached } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgCallLimiterLayer } from "../../src/limits/PgCallLimiter.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const SERVERS = 4

/** As many servers as there are, each with connections and a memory of its own, on one database. */
const onServers = <A>(
  widget: Readonly<Record<string, number>>,
  use: (
    gates: ReadonlyArray<VisitorGate["Service"]>,
    database: Database["Service"]
  ) => Effect.Effect<A, unknown, Scope.Scope>
) =>
  Effect.gen(function* () {
    const url = yield* migratedPostgres
    const connect = PgDatabaseLayer({ url, maxConnections: 5 })
    const first = yield* Layer.build(connect)
    const catalog = Layer.succeed(Catalog, makeCatalog({ widget }))
    const server = VisitorGate.layer.pipe(
      Layer.provide(Layer.merge(PgCallLimiterLayer.pipe(Layer.provide(connect)), catalog))
    )
    const gates = yield* Effect.all(
      Array.from({ length: SERVERS }, () =>
        Effect.map(Layer.build(Layer.fresh(server)), (context) => Context.get(context, VisitorGate))
      )
    )
    return yield* use(gates, Context.get(first, Database))
  }).pipe(Effect.scoped, Effect.runPromise)

interface Outcome {
  readonly served: number
  readonly refusals: ReadonlyArray<string>
}

/** The outcomes of calls that arrive at once, in turns at all servers, and stay open. */
const outcomeOf = (
  gates: ReadonlyArray<VisitorGate["Service"]>,
  calls: ReadonlyArray<{ readonly address: string; readonly conversationId?: string }>
): Effect.Effect<Outcome, unknown, Scope.Scope> =>
  Effect.forEach(
    calls,
    ({ address, conversationId }, index) =>
      (gates[index % SERVERS] as VisitorGate["Service"]).enter({ address, botId: "bot", conversationId }).pipe(
        // The database of a busy machine may be late.
        Effect.retry({ while: (error) => "retryable" in error && error.retryable === true, times: 100 }),
        Effect.exit
      ),
    { concurrency: "unbounded" }
  ).pipe(
    Effect.map((exits) => ({
      served: exits.filter(Exit.isSuccess).length,
      refusals: exits.flatMap((exit) => {
        if (Exit.isSuccess(exit)) return []
        const error = Exit.findErrorOption(exit)
        return [error._tag === "Some" && error.value instanceof VisitorLimitReached ? error.value.code : "failed"]
      })
    }))
  )

const roomy = { streamsPerIp: 10_000, streamsPerBot: 10_000 }
const visitors = (count: number) => Array.from({ length: count }, (_, index) => ({ address: `192.0.2.${index}` }))

describe.skipIf(!hasPostgres)("visitors of a bot, at four servers at once", () => {
  it("however many visitors an address claims to be, it has what one address has", () =>
    onServers({ ...roomy, perIpPerMinute: 20, perBotPerMinute: 300 }, (gates) =>
      Effect.gen(function* () {
        // Each call is of a visitor of its own, which is nothing that a call is counted on.
        const { refusals, served } = yield* outcomeOf(gates, Array(300).fill({ address: "203.0.113.66" }))
        expect(served).toBe(20)
        expect(new Set(refusals)).toEqual(new Set(["visitor_rate_limited"]))
      })
    ))

  it("an abuser uses up nothing of what ordinary visitors share", () =>
    onServers({ ...roomy, perIpPerMinute: 5, perBotPerMinute: 25 }, (gates) =>
      Effect.gen(function* () {
        const abuse = Array.from({ length: 150 }, () => ({ address: "203.0.113.66" }))
        const [abused, ordinary] = yield* Effect.all([outcomeOf(gates, abuse), outcomeOf(gates, visitors(20))], {
          concurrency: "unbounded"
        })
        expect(abused.served).toBe(5)
        expect(ordinary).toEqual({ served: 20, refusals: [] })
        expect(yield* outcomeOf(gates, [{ address: "198.51.100.1" }])).toEqual({
          served: 0,
          refusals: ["bot_rate_limited"]
        })
      })
    ))

  it("the limits of a bot and of a conversation hold for all servers together", () =>
    onServers({ ...roomy, perIpPerMinute: 100, perConversationPerMinute: 7, perBotPerMinute: 30 }, (gates) =>
      Effect.gen(function* () {
        const talk = visitors(60).map(({ address }) => ({ address, conversationId: "one" }))
        expect((yield* outcomeOf(gates, talk)).served).toBe(7)
        expect((yield* outcomeOf(gates, visitors(100))).served).toBe(23)
      })
    ))

  it("as many replies are written at once as may be, and their places are free once they end", () =>
    onServers({ perIpPerMinute: 1_000, streamsPerIp: 3, perBotPerMinute: 1_000, streamsPerBot: 10 }, (gates) =>
      Effect.gen(function* () {
        const open = yield* Scope.make()
        const crowd = Array.from({ length: 80 }, (_, index) => ({ address: `192.0.2.${index % 5}` }))
        expect((yield* Scope.provide(outcomeOf(gates, crowd), open)).served).toBe(10)
        yield* Scope.close(open, Exit.void)
        // Each server returns its ended calls with its next call.
        yield* Effect.forEach(gates, (gate, index) =>
          Effect.ignore(
            Effect.scoped(gate.enter({ address: `198.51.100.${index}`, botId: "other", conversationId: undefined }))
          )
        )
        expect((yield* outcomeOf(gates, crowd)).served).toBe(10)
      })
    ))

  it("addresses are forgotten once they do not count", () =>
    onServers({ perIpPerMinute: 2 }, (gates, { schema, statement }) =>
      Effect.gen(function* () {
        expect((yield* outcomeOf(gates, visitors(50))).served).toBe(50)
        const rows = Effect.map(
          statement<{ count: number }>(`SELECT count(*) FROM ${schema}.call_windows WHERE name = 'ip'`),
          ([row]) => row?.count
        )
        expect(yield* rows).toBe(50)
        yield* statement(`UPDATE ${schema}.call_windows SET ends_at = ends_at - interval '3 minutes'`)
        yield* statement(`SELECT ${schema}.sweep_calls(30)`)
        yield* statement(`SELECT ${schema}.sweep_calls(30)`)
        expect(yield* rows).toBe(0)
      })
    ))
})
