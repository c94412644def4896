/** Moves under load while the databases of their cells, or the server that moves and serves, are killed at each step. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { type MoveInput, moveOwner, type MoveStep } from "../../src/cells/moving/moveOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { hasPostgres } from "../databases.ts"
import { CrashedServer } from "../faults/CrashedServer.ts"
import {
  type Answered,
  endMove,
  eraseAll,
  faultsOf,
  load,
  moveOf,
  moveSoon,
  newOwners,
  openWorldAt,
  STEPS,
  type World
} from "./movingOwners.ts"

const program = fileURLToPath(new URL("../fixtures/serveCells.ts", import.meta.url))
const OWNERS = 6
const CALLERS = 4

type Crash = Effect.Success<ReturnType<typeof crashable>>["crash"]

/** A Postgres server with every migration, which loses in a crash all that it may lose. */
const crashable = () =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => CrashedServer.start()),
      (server) => Effect.promise(() => server[Symbol.asyncDispose]())
    )
    const { url } = server
    yield* Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url, maxConnections: 2 })))
    let armed = yield* Effect.promise(() => server.withoutLogWriter())
    const crash = Effect.promise(async () => {
      await armed.crash()
      await server.restart()
      expect(server.url).toBe(url)
      armed = await server.withoutLogWriter()
    })
    return { url, crash }
  })

/** Repeats work until the cells answer. */
const soon = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.retry(work, { times: 300, schedule: Schedule.spaced("100 millis") })

/** The move of an owner who lives in a cell; if there is none, the first one moves there. */
const moveFrom = Effect.fnUntraced(function* (
  world: World,
  owners: ReadonlyArray<string>,
  cell: string,
  number: number
) {
  const first = number % owners.length
  const inTurn = [...owners.slice(first), ...owners.slice(0, first)]
  for (const owner of inTurn) {
    const move = yield* moveOf(world, owner)
    if (move.from.id === cell) return move
  }
  const [owner = expect.fail()] = inTurn
  yield* moveSoon(yield* moveOf(world, owner))
  return yield* moveOf(world, owner)
})

/** Moves an owner of whom a cell crashes at a step, and ends the move. */
const crashedMove = Effect.fnUntraced(function* (move: MoveInput, at: MoveStep, crash: Crash, way: number) {
  let crashes = 0
  const onStep = (step: MoveStep) => (step === at && crashes++ === 0 ? crash : Effect.void)
  while (crashes === 0) yield* Effect.exit(moveOwner({ ...move, onStep }))
  yield* soon(endMove(move, way))
})

/** Has a server of its own move an owner, and kills it at a step; adds what it has answered. */
const killedServer = async (
  urls: Readonly<Record<string, string>>,
  answered: Answered,
  owner: string,
  at: MoveStep
): Promise<void> => {
  const owners = JSON.stringify([...answered.keys()])
  const parameters = ["--conditions=@parley/source", program, JSON.stringify(urls), owners, owner, at]
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] })
  let reached = false
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind = "", of = "", name = ""] = line.split(" ")
    if (kind === "reached") reached = child.kill("SIGKILL")
    else answered.get(of)?.[kind as "chats" | "documents" | "replies"].add(name)
  }
  expect(reached, "the step was reached").toBe(true)
}

/** Plays rounds, one after another, while two servers serve; each operation that was answered must then be in one ledger. */
const rounds = (
  play: (world: {
    readonly urls: Readonly<Record<string, string>>
    readonly crashes: Readonly<Record<string, Crash>>
    readonly answered: Answered
    readonly number: number
    readonly step: MoveStep
    readonly move: MoveInput
  }) => Effect.Effect<void, unknown>
) =>
  Effect.gen(function* () {
    const [a, b] = [yield* crashable(), yield* crashable()]
    const world = yield* openWorldAt({ a: a.url, b: b.url }, 2)
    const answered = yield* newOwners(world, OWNERS)
    const done = yield* Deferred.make<void>()
    const working = yield* Effect.forkChild(load(world, answered, CALLERS, done, () => true))
    const owners = [...answered.keys()]
    for (const [index, step] of STEPS.entries())
      for (const from of ["a", "b"]) {
        const number = index * 2 + (from === "a" ? 0 : 1)
        const move = yield* soon(moveFrom(world, owners, from, number))
        yield* play({ urls: world.urls, crashes: { a: a.crash, b: b.crash }, answered, number, step, move })
        if ((yield* Effect.sync(() => working.pollUnsafe())) !== undefined) yield* Fiber.join(working)
      }
    yield* Deferred.succeed(done, undefined)
    const { durations, refused } = yield* Fiber.join(working)
    yield* soon(eraseAll(world, 0))
    expect(yield* faultsOf(world, answered, false)).toEqual([])
    return { calls: durations.length, refused }
  })

describe.runIf(hasPostgres)("each answered operation is in one ledger", { timeout: 1_200_000 }, () => {
  for (const victim of ["from", "to"] as const)
    it(`although the database that an owner moves ${victim} crashes at each step of the move`, (test) =>
      Effect.gen(function* () {
        const counts = yield* rounds(({ crashes, move, number, step }) =>
          crashedMove(move, step, crashes[move[victim].id] ?? expect.fail(), number)
        )
        yield* Effect.promise(() => test.annotate(JSON.stringify(counts)))
      }).pipe(Effect.scoped, Effect.runPromise))

  it("although the server that moves the owner and serves others is killed at each step", (test) =>
    Effect.gen(function* () {
      const counts = yield* rounds(({ answered, move, number, step, urls }) =>
        Effect.gen(function* () {
          yield* Effect.promise(() => killedServer(urls, answered, move.owner, step))
          yield* soon(endMove(move, number))
        })
      )
      yield* Effect.promise(() => test.annotate(JSON.stringify(counts)))
    }).pipe(Effect.scoped, Effect.runPromise))
})
