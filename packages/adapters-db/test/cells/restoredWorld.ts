/** Three cells whose global database is restored from a backup, and moves whose process dies. */
import { Cause, Effect, Exit, Layer } from "effect"
import { expect } from "vitest"
import { type CellFinding, verifyCells } from "../../src/cells/administration/verifyCells.ts"
import { cellsLayer } from "../../src/cells/cellsLayer.ts"
import { noteCells } from "../../src/cells/administration/identifyCell.ts"
import { cellOf, Databases } from "../../src/cells/Databases.ts"
import { moveSql } from "../../src/cells/directory/moveSql.ts"
import { moveOwner, type MoveStep } from "../../src/cells/moving/moveOwner.ts"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { repairDirectory } from "../../src/cells/repairing/repairDirectory.ts"
import { administer } from "../administer.ts"
import { migratedPostgres } from "../databases.ts"
import { cutOff, nameOf } from "./peopleOfCells.ts"

const run = Effect.runPromise

export const CELLS = ["first", "second", "third"] as const
export type CellName = (typeof CELLS)[number]

export interface InterruptedMove {
  readonly owner: string
  readonly from: CellName
  readonly to: CellName
  readonly at: MoveStep
}

/** Three cells, whose first one is the global database. */
export class World {
  readonly #urls: ReadonlyArray<string>
  readonly #opened: Array<OpenCells> = []

  constructor(urls: ReadonlyArray<string>) {
    this.#urls = urls
  }

  get cells() {
    const [first, second, third] = this.#urls.map((url) => ({ url, maxConnections: 3 })) as [object, object, object]
    return { global: "first", cells: { first, second, third } }
  }

  async server(refreshMs = 0) {
    const opened = await openCells({ ...this.cells, directory: { refreshMs } })
    this.#opened.push(opened)
    return opened
  }

  readonly #global = () => nameOf(this.#urls[0] ?? "")

  /** Makes a backup of the global database; returns a function that restores it. */
  async backup() {
    const name = this.#global()
    await administer([cutOff(name), `CREATE DATABASE ${name}_backup TEMPLATE ${name}`])
    return () =>
      administer([
        `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
        cutOff(name),
        `DROP DATABASE ${name} WITH (FORCE)`,
        `ALTER DATABASE ${name}_backup RENAME TO ${name}`
      ])
  }

  /** Has the global database accept no connections. */
  away() {
    const name = this.#global()
    return administer([`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`, cutOff(name)])
  }

  /** Runs statements in the global database. */
  sql(...statements: ReadonlyArray<string>) {
    return administer(statements, this.#global())
  }

  /** Runs a statement in the database of a cell. */
  sqlIn(cell: CellName, statement: string) {
    return administer(statement, nameOf(this.#urls[CELLS.indexOf(cell)] ?? ""))
  }

  async #findings(repairs: boolean, onFinding: (finding: CellFinding) => Effect.Effect<void, unknown>) {
    const found: Array<readonly [owner: string, problem: string, repairedTo: string | undefined]> = []
    const note = (finding: CellFinding, repairedTo?: string) =>
      Effect.andThen(
        Effect.sync(() => void found.push([finding.owner, finding.problem, repairedTo])),
        onFinding(finding)
      )
    const work = Effect.andThen(noteCells, repairs ? repairDirectory(note) : verifyCells(note))
    await run(Effect.provide(work, Layer.fresh(cellsLayer(this.cells))))
    return found
  }

  repair(onFinding: (finding: CellFinding) => Effect.Effect<void, unknown> = () => Effect.void) {
    return this.#findings(true, onFinding)
  }

  verify() {
    return this.#findings(false, () => Effect.void)
  }

  /** Begins a move between cells, and has its process die at a step. */
  interruptMove(owner: string, from: CellName, to: CellName, at: MoveStep) {
    return this.interruptMoves([{ owner, from, to, at }])
  }

  /** Begins moves, each in a process that dies at a step. */
  async interruptMoves(moves: ReadonlyArray<InterruptedMove>) {
    const dying = Effect.gen(function* () {
      const { cells } = yield* Databases
      const [first, second, third] = CELLS.map((name) => cells?.byName.get(name))
      if (first === undefined || second === undefined || third === undefined) return expect.fail()
      const byName = { first: cellOf(first), second: cellOf(second), third: cellOf(third) }
      const directory = moveSql(byName.first.database)
      for (const { at, from, owner, to } of moves) {
        const onStep = (step: MoveStep) => (step === at ? Effect.die("killed") : Effect.void)
        const exit = yield* Effect.exit(moveOwner({ owner, from: byName[from], to: byName[to], directory, onStep }))
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("killed")
      }
    })
    await run(Effect.provide(dying, Layer.fresh(cellsLayer(this.cells))))
  }

  /** Tries to end a move that another one has superseded, several times. */
  async superseded(owner: string, times: number) {
    const work = Effect.gen(function* () {
      const { global } = yield* Databases
      const directory = moveSql(cellOf(global).database)
      for (let time = 0; time < times; time += 1) yield* directory.replace(owner, 1_000, "second")
    })
    await run(Effect.provide(work, Layer.fresh(cellsLayer(this.cells))))
  }

  async close() {
    for (const opened of this.#opened) await opened.close()
  }
}

export const inWorld = (use: (world: World) => Promise<void>) =>
  run(
    Effect.scoped(
      Effect.flatMap(Effect.all([migratedPostgres, migratedPostgres, migratedPostgres]), (urls) =>
        Effect.promise(async () => {
          const world = new World(urls)
          try {
            await use(world)
          } finally {
            await world.close()
          }
        })
      )
    )
  )
