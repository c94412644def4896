import { type ChildProcess, spawn } from "node:child_process"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const FREEZES = 8
const program = fileURLToPath(new URL("../fixtures/meterForever.ts", import.meta.url))
const HOT = Array.from({ length: 10 }, (_, index) => `hot-${index}`)
const OTHERS = Array.from({ length: 30 }, (_, index) => `other-${index}`)
const all = { concurrency: "unbounded" } as const

const spoke = (child: ChildProcess) =>
  Effect.promise(() => (child.stdout === null ? Promise.reject(new Error("mute")) : once(child.stdout, "data")))

/** A process that meters the hot accounts, or stops itself under their locks. */
const peer = (url: string, task: "meter" | "lock") =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@parley/source", program, url, task, ...HOT], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        const gone = once(child, "exit")
        if (child.exitCode === null && child.kill("SIGKILL")) await gone
      })
  )

let rounds = 0

/** A reply of each, from its hold to its charge. */
const replies = (ledger: TestedLedger, people: ReadonlyArray<string>) => {
  const key = `reply:${++rounds}`
  return Effect.forEach(
    people,
    (userId) =>
      Effect.andThen(
        ledger.reserve(reservation(userId, key, 10)),
        ledger.settle({ userId, key, amount: 1, draft: receiptDraft })
      ),
    all
  )
}

const setUp = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const ledgers = PgCreditLedgerLayer.pipe(Layer.provide(PgDatabaseLayer({ url })))
  const ledger = ledgerIn(yield* Layer.build(ledgers))
  const open = (userId: string) => ledger.open({ userId, tier: "business", allowance: 1_000_000 })
  yield* Effect.forEach([...HOT, ...OTHERS], open, all)
  return { url, ledger }
})

const consistent = (ledger: TestedLedger) =>
  Effect.map(ledger.verify({ limit: 1_000, after: undefined }), ({ differences }) => expect(differences).toEqual([]))

const run = <A, E>(work: Effect.Effect<A, E, import("effect").Scope.Scope>) => Effect.runPromise(Effect.scoped(work))

describe.runIf(hasPostgres)("a process that is stopped", () => {
  it("while it holds the locks of accounts in common keeps another process from nothing for long", () =>
    run(
      Effect.gen(function* () {
        const { url, ledger } = yield* setUp
        for (let freeze = 0; freeze < 3; freeze += 1) {
          const child = yield* peer(url, "lock")
          yield* spoke(child)
          // Never woken: the rows that it locks have to be released without it.
          yield* replies(ledger, OTHERS)
          yield* replies(ledger, HOT)
        }
        yield* consistent(ledger)
      })
    ))

  it("at any moment of its metering keeps another process from nothing for long, and goes on when woken", () =>
    run(
      Effect.gen(function* () {
        const { url, ledger } = yield* setUp
        const child = yield* peer(url, "meter")
        for (let freeze = 0; freeze < FREEZES; freeze += 1) {
          yield* spoke(child)
          yield* replies(ledger, HOT)
          child.kill("SIGSTOP")
          for (const people of [OTHERS, HOT, [...HOT, ...OTHERS]]) yield* replies(ledger, people)
          child.kill("SIGCONT")
        }
        yield* spoke(child)
        yield* consistent(ledger)
      })
    ))
})
