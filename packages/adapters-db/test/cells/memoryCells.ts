import type { StoragePorts } from "@parley/core"
import { StorageFailed } from "@parley/core/adapter"
import { inMemoryStorageLayer, storagePortsFromContext } from "@parley/core/effect"
import { Effect, Layer } from "effect"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import type { DirectorySource } from "../../src/cells/directory/Directory.ts"
import type { SharedRows } from "../../src/cells/global/sharedRows.ts"
import { DatabaseError } from "../../src/database/Database.ts"

/** All stores in memory, apart from others. */
export const memoryStores = (): StoragePorts =>
  Effect.runSync(Effect.provide(storagePortsFromContext, Layer.fresh(inMemoryStorageLayer)))

/** For stores in memory without payments, bots and erasures: those need the global database. */
export const noSharedRows = {} as SharedRows

export const refused = (sqlState?: string) =>
  new StorageFailed({
    operation: "Test.refuses",
    retryable: sqlState === undefined,
    cause: new DatabaseError({ ...(sqlState === undefined ? {} : { sqlState }), cause: new Error("refused") })
  })

/** The same stores with the methods and effects of every port failing, as those of a database that is away. */
export const awayStores = (stores: StoragePorts): StoragePorts => {
  const away = (member: unknown) =>
    typeof member === "function"
      ? () => Effect.fail(refused())
      : Effect.isEffect(member)
        ? Effect.fail(refused())
        : member
  return Object.fromEntries(
    Object.entries(stores).map(([port, service]) => [
      port,
      Object.fromEntries(Object.entries(service as object).map(([name, member]) => [name, away(member)]))
    ])
  ) as unknown as StoragePorts
}

/** A directory in memory that counts its statements and can be away. */
export class MemoryDirectory implements DirectorySource {
  readonly buckets: Array<string | undefined>
  readonly id = crypto.randomUUID()
  readonly cells: Array<string>
  /** The ids of the databases of cells that have one. */
  readonly ids = new Map<string, string>()
  readonly placements = new Map<string, { readonly cell: string; readonly version: number }>()
  statements = 0
  isAway = false
  incarnation = ""
  #version = 0

  constructor(cells: ReadonlyArray<string>) {
    this.cells = [...cells]
    this.buckets = Array.from({ length: 4096 }, (_, bucket) => cells[bucket % cells.length])
  }

  move(owner: string, cell: string): void {
    this.#version += 1
    this.placements.set(owner, { cell, version: this.#version })
  }

  /** Has the directory forget its newest changes, as after a restore of a backup. */
  restore(version: number): void {
    this.#version = version
    for (const [owner, placed] of this.placements) if (placed.version > version) this.placements.delete(owner)
  }

  place(owner: string, cell: string) {
    return this.#ask(() => this.move(owner, cell))
  }

  /** The present cell of an owner. */
  cellOf(owner: string): string | undefined {
    return this.placements.get(owner)?.cell ?? this.buckets[bucketOf(owner)]
  }

  #ask<A>(answer: () => A): Effect.Effect<A, DatabaseError> {
    return Effect.suspend(() => {
      this.statements += 1
      return this.isAway ? Effect.fail(new DatabaseError({ cause: new Error("away") })) : Effect.succeed(answer())
    })
  }

  read(since: number, most: number) {
    return this.#ask(() => {
      const placements = [...this.placements].map(([owner, placed]) => ({ owner, ...placed }))
      const newest = placements.filter(({ version }) => version > since).toSorted((a, b) => b.version - a.version)
      return {
        id: this.id,
        cells: this.cells.map((name) => ({ name, id: this.ids.get(name) ?? null })),
        version: this.#version,
        incarnation: this.incarnation,
        buckets: [...this.buckets],
        placements: newest.slice(0, most)
      }
    })
  }

  find(owner: string) {
    return this.#ask(() => ({
      version: this.#version,
      bucket: this.buckets[bucketOf(owner)],
      placed: this.placements.get(owner)
    }))
  }
}
