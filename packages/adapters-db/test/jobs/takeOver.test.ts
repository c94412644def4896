/** The tries that are taken over, check by check: no check waits, since a check is one call. */
import { twinOf } from "@parley/core/adapter"
import { atTime, newJob, type Run, suiteOn, type TestedJob, TestJob } from "@parley/core/testing"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import { DatabaseError } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { enqueueJob, jobToSend } from "../../src/jobs/enqueueJob.ts"
import { type JobParts, startBoss } from "../../src/jobs/startBoss.ts"
import { jobSql } from "../../src/jobs/jobSql.ts"
import { lookForDeadTries } from "../../src/jobs/jobWorker.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const twin = ({ name, owner }: TestedJob): string => twinOf(owner, TestJob, { name })

/** Another session, with an open transaction. */
const stranger = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query("BEGIN")
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** A database with running jobs, whose clock stands still, and a server's check for dead ones. */
class World extends Context.Service<World, Effect.Success<typeof openWorld>>()("@parley/adapters-db/test/jobs/World") {}

const openWorld = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const owner = Context.get(yield* Layer.build(PgDatabaseLayer({ url })), DatabaseOwner)
  const boss = yield* Effect.acquireRelease(
    Effect.promise(() => startBoss(owner, "pg", {})),
    (started) => Effect.promise(() => started.stop({ graceful: false }))
  )
  const parts: JobParts = {
    owner,
    boss: Effect.succeed(boss),
    text: jobSql(owner.schemaName),
    wake: () => undefined,
    report: () => Effect.void
  }
  const schema = `"${owner.schemaName}_boss"`
  yield* owner.execute(`CREATE OR REPLACE FUNCTION ${schema}.job_now() RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT timestamptz '2030-01-01 00:00:00Z' $$`)
  const signed = (job: TestedJob, secondsAgo: number) =>
    owner.execute(
      `UPDATE ${schema}.job SET heartbeat_on = ${schema}.job_now() - $2::float8 * interval '1 second'
       WHERE singleton_key = $1`,
      [twin(job), secondsAgo]
    )
  return {
    parts,
    /** A job that a worker runs whose last sign of life is so old. */
    running: Effect.fnUntraced(function* (secondsAgo: number) {
      const job = newJob()
      yield* enqueueJob(parts)(yield* jobToSend(job.owner, TestJob, { name: job.name }))
      yield* owner.execute(`UPDATE ${schema}.job SET state = 'active', started_on = now() WHERE singleton_key = $1`, [
        twin(job)
      ])
      yield* signed(job, secondsAgo)
      return job
    }),
    /** Its worker writes a sign that is this old when it arrives. */
    signed,
    state: (job: TestedJob) =>
      Effect.map(
        owner.execute(`SELECT state::text AS state FROM ${schema}.job WHERE singleton_key = $1`, [twin(job)]),
        ([row]) => row?.["state"]
      ),
    /** Locks its row as `strength` says, until released. */
    hold: Effect.fnUntraced(function* (job: TestedJob, strength: "UPDATE" | "NO KEY UPDATE") {
      const client = yield* stranger(url)
      yield* Effect.promise(() =>
        client.query(`SELECT FROM ${schema}.job WHERE singleton_key = $1 FOR ${strength}`, [twin(job)])
      )
      return { release: Effect.promise(() => client.query("COMMIT")) }
    })
  }
})

const TAKEN = "retry"
const MINUTE = 60

const suite = (run: Run<World>) => {
  const testOn = (test: (world: World["Service"]) => Effect.Effect<void, unknown, Scope.Scope>) =>
    run(Effect.flatMap(World, test))

  it("is taken over by the third look that finds it so, and not before", () =>
    testOn(({ parts, running, state }) =>
      Effect.gen(function* () {
        const job = yield* running(MINUTE)
        const look = lookForDeadTries(parts)
        for (let number = 1; number < 3; number++) {
          yield* look
          expect(yield* state(job)).toBe("active")
        }
        yield* look
        expect(yield* state(job)).toBe(TAKEN)
      })
    ))

  it("is left alone for six seconds, however often it is looked at", () =>
    testOn(({ parts, running, state }) =>
      Effect.gen(function* () {
        const job = yield* running(5.999)
        const other = yield* running(6)
        const look = lookForDeadTries(parts)
        for (let number = 0; number < 6; number++) yield* look
        expect(yield* state(job)).toBe("active")
        expect(yield* state(other)).toBe(TAKEN)
      })
    ))

  for (const strength of ["UPDATE", "NO KEY UPDATE"] as const) {
    it(`is left to its worker while its row is locked for ${strength}, until checks find it free`, () =>
      testOn(({ hold, parts, running, state }) =>
        Effect.gen(function* () {
          const job = yield* running(MINUTE)
          const look = lookForDeadTries(parts)
          // However many looks it lasts, the worker has the time of all looks afterwards.
          for (const held of [1, 2, 3, 4, 5]) {
            const { release } = yield* hold(job, strength)
            for (let number = 0; number < held; number++) yield* look
            yield* release
            for (let number = 1; number < 3; number++) yield* look
            expect(yield* state(job), `after ${held} looks`).toBe("active")
          }
          yield* look
          expect(yield* state(job)).toBe(TAKEN)
        })
      ))
  }

  it("is left to its worker that gives a sign between two looks", () =>
    testOn(({ parts, running, signed, state }) =>
      Effect.gen(function* () {
        const job = yield* running(MINUTE)
        const look = lookForDeadTries(parts)
        for (let sign = 1; sign <= 5; sign++) {
          yield* look
          yield* look
          yield* signed(job, MINUTE - sign)
        }
        expect(yield* state(job)).toBe("active")
      })
    ))

  it("is not held against its worker by looks that failed, as the database was away", () =>
    testOn(({ parts, running, state }) =>
      Effect.gen(function* () {
        const job = yield* running(MINUTE)
        let away = false
        const refused = new DatabaseError({ sqlState: "57P03", cause: new Error("The database is away.") })
        const execute: typeof parts.owner.execute = (...statement) =>
          away ? Effect.fail(refused) : parts.owner.execute(...statement)
        const look = lookForDeadTries({ ...parts, owner: { ...parts.owner, execute } })
        for (let outage = 0; outage < 3; outage++) {
          yield* look
          yield* look
          away = true
          yield* Effect.flip(look)
          away = false
        }
        expect(yield* state(job)).toBe("active")
      })
    ))

  it("is not held against its worker by looks that came late, as machines or the database stood still", () =>
    testOn(({ parts, running, state }) =>
      Effect.gen(function* () {
        const job = yield* running(MINUTE)
        const look = lookForDeadTries(parts)
        let now = yield* Clock.currentTimeMillis
        const lookAfter = (seconds: number) => atTime((now += seconds * 1000), look)
        for (let pause = 0; pause < 3; pause++) {
          // Earlier observations count no more.
          yield* lookAfter(3600)
          yield* lookAfter(1)
        }
        expect(yield* state(job)).toBe("active")
        yield* lookAfter(1)
        expect(yield* state(job)).toBe(TAKEN)
      })
    ))
}

if (hasPostgres) suiteOn("a try without a sign of life for long", Layer.effect(World, openWorld), suite)
