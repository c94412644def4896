import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { DatabaseError } from "../../database/Database.ts"
import type { CellIdentity } from "../administration/ExpectedCell.ts"
import { bucketOf } from "./bucketOf.ts"
import type { DirectoryRows, DirectorySql, PlaceRow } from "./directorySql.ts"
import { PlacementCache } from "./PlacementCache.ts"

/** Milliseconds after which a directory in use reads the changes of others. */
const REFRESH_MS = 2_000
/** A directory that is so late to read them, in milliseconds, was not in use. */
const IDLE_MS = 2_000

export interface DirectoryOptions {
  /** Milliseconds after which a directory in use reads the changes of others; 2,000 unless given. */
  readonly refreshMs?: number | undefined
  /** The most owners whose placements are kept in memory; 100,000 unless given. */
  readonly mostPlacements?: number | undefined
}

/** The part of the directory's statements that a cache of it needs. */
export type DirectorySource = Pick<DirectorySql, "find" | "place" | "read">

/** What a directory needs of the cells that a process has configured. */
export interface DirectoryCells {
  /** The highest version of the directory that the cells have seen; it is asked for after restarts and restores. */
  readonly seen?: Effect.Effect<number> | undefined
  /** The cell that is also the global database, if there is one. */
  readonly globalCell?: string | undefined
  /** Receives the identity of each cell whose database has the name, with each read. */
  readonly expect?: ((identity: CellIdentity) => void) | undefined
}

const failed = (cause: unknown) =>
  new StorageFailed({
    operation: "Directory.cellOf",
    retryable: (cause as Partial<DatabaseError>).retryable ?? false,
    cause
  })

const older = () =>
  failed(
    new Error(
      'The directory in the global database is older than before, or older than a cell. Run "parley cells verify --repair".'
    )
  )

const unassigned = (bucket: number) => failed(new Error(`Bucket ${bucket} has no cell: assign it to one.`))

/**
 * Knows the cell of each owner. Buckets and placements are in memory, and serve if the global database does not answer.
 * They may be stale: a cell itself refuses the writes of an owner who has moved away.
 */
export class Directory {
  readonly #source: DirectorySource
  readonly #refreshMs: number
  #placements: PlacementCache
  #buckets: ReadonlyArray<string | undefined> | undefined
  #refreshing: Promise<void> | undefined
  #nextRefreshAt = 0
  #isAway = false
  /** The highest version of the directory that this process has read. */
  #newest = 0
  /** The highest version that a cell has seen and the directory had not reached. */
  #required = 0
  #incarnation: string | undefined
  /** The cells that have joined; undefined before the first read. */
  #joined: ReadonlySet<string> | undefined
  readonly #cells: DirectoryCells

  constructor(
    source: DirectorySource,
    { mostPlacements = 100_000, refreshMs = REFRESH_MS }: DirectoryOptions = {},
    cells: DirectoryCells = {}
  ) {
    this.#source = source
    this.#cells = cells
    this.#refreshMs = refreshMs
    this.#placements = new PlacementCache(mostPlacements)
  }

  /**
   * The cell of an owner if this process knows it without a statement. A directory that was not in use for a while
   * knows nothing before it has read the changes, unless the global database does not answer. If the cell is that database,
   * it knows nothing then either: once the cell answers, it may be a restored one.
   */
  known(owner: string): string | undefined {
    const lateMs = this.#refreshIfLate()
    if (this.#buckets === undefined || (lateMs > IDLE_MS && !this.#isAway)) return undefined
    const cell = this.#remembered(owner)
    return this.#isAway && cell === this.#cells.globalCell ? undefined : cell
  }

  /** Begins to read the changes if it is time to; returns by how many milliseconds it is late. */
  #refreshIfLate(): number {
    const lateMs = performance.now() - this.#nextRefreshAt
    if (lateMs >= 0) void this.#startRefresh().catch(() => undefined)
    return lateMs
  }

  /**
   * True if the directory has the cell, by the last read. Before the first one, each cell counts. A cell that it does not
   * have yet is looked for as often as the changes of others are.
   */
  hasJoined(cell: string): boolean {
    if (this.#joined === undefined || this.#joined.has(cell)) return true
    this.#refreshIfLate()
    return false
  }

  /** Notes the names of all cells in the directory, which were read otherwise. */
  noteCells(names: Iterable<string>): void {
    this.#joined = new Set(names)
  }

  /** Reads the changes if the directory was not in use for a while, unless the global database does not answer. */
  readonly catchUp: Effect.Effect<void> = Effect.suspend(() =>
    this.#refreshIfLate() > IDLE_MS && !this.#isAway ? Effect.ignore(this.refresh) : Effect.void
  )

  #remembered(owner: string): string | undefined {
    const placed = this.#placements.get(owner)
    return placed === undefined ? undefined : (placed.cell ?? this.#buckets?.[bucketOf(owner)])
  }

  /** The version of the known placement of an owner; 0 if the owner has none, or none is known. */
  versionOf(owner: string): number {
    return this.#placements.get(owner)?.version ?? 0
  }

  /** The cell of an owner: from memory, or with one statement. */
  cellOf(owner: string): Effect.Effect<string, StorageFailed> {
    return Effect.suspend(() => {
      const known = this.known(owner)
      if (known !== undefined) return Effect.succeed(known)
      const isLoaded = this.#buckets !== undefined
      return Effect.flatMap(isLoaded ? Effect.ignore(this.refresh) : this.refresh, () => {
        const cell = this.known(owner) ?? (this.#isAway && this.#buckets ? this.#remembered(owner) : undefined)
        return cell === undefined ? this.askAgain(owner) : Effect.succeed(cell)
      })
    })
  }

  /** The same, always by the global database. */
  askAgain(owner: string): Effect.Effect<string, StorageFailed> {
    return Effect.suspend(() => {
      const noted = this.#placements.version
      const before = this.#newest
      return Effect.flatMap(
        Effect.tryPromise({ try: () => Effect.runPromise(this.#source.find(owner)), catch: failed }),
        (found) => (this.#isOlder(found.version, before) ? Effect.fail(older()) : this.#note(owner, found, noted))
      ).pipe(Effect.tap((cell) => this.#meet(cell)))
    })
  }

  /**
   * Reads the identity of a cell that is new to this process, by which its connections are checked. A read that was under way
   * may be of before.
   */
  #meet(cell: string): Effect.Effect<void> {
    const read = Effect.suspend(() => (this.hasJoined(cell) ? Effect.void : Effect.ignore(this.refresh)))
    return Effect.andThen(read, read)
  }

  /** Places an owner in this cell by name, so that the owner stays if the bucket is assigned to another one. */
  keepIn(owner: string, cell: string): Effect.Effect<void, StorageFailed> {
    return Effect.flatMap(this.askAgain(owner), (present) => {
      if (present === cell && this.#placements.get(owner)?.cell === cell) return Effect.void
      const placing = { try: () => Effect.runPromise(this.#source.place(owner, cell)), catch: failed }
      return Effect.andThen(Effect.tryPromise(placing), Effect.asVoid(this.askAgain(owner)))
    })
  }

  /** Refuses every owner until the directory in the database has this version, which a cell has seen. */
  requireVersion(version: number): void {
    this.#required = Math.max(this.#required, version)
    this.#forget()
  }

  /** Reads the changes of others now. */
  readonly refresh: Effect.Effect<void, StorageFailed> = Effect.tryPromise({
    try: () => this.#startRefresh(),
    catch: failed
  })

  /**
   * True if the version of an answer is below the newest one before the question: the database was restored from a backup,
   * or has lost its last changes.
   */
  #isOlder(version: number, before: number): boolean {
    this.#newest = Math.max(this.#newest, version)
    if (version >= Math.max(before, this.#required)) return false
    this.#forget()
    return true
  }

  /** A repaired directory may have other changes under the versions that were read. */
  #forget(): void {
    this.#buckets = undefined
    this.#placements = new PlacementCache(this.#placements.most)
  }

  #note(owner: string, { bucket, placed }: PlaceRow, noted: number): Effect.Effect<string, StorageFailed> {
    const place = bucketOf(owner)
    this.#placements.note(owner, placed, noted)
    if (this.#buckets !== undefined && this.#buckets[place] !== bucket)
      this.#buckets = this.#buckets.with(place, bucket)
    const cell = placed?.cell ?? bucket
    return cell === undefined ? Effect.fail(unassigned(place)) : Effect.succeed(cell)
  }

  /** Runs in a fiber of its own, outside of the caller's transaction. Concurrent callers share one. */
  #startRefresh(): Promise<void> {
    // Reading asks for the cells that have joined, which must find that a read has begun.
    this.#refreshing ??= Promise.resolve()
      .then(() => this.#readChanges())
      .then(
        () => void (this.#isAway = false),
        (error: unknown) => {
          this.#isAway = true
          throw error
        }
      )
      .finally(() => {
        this.#refreshing = undefined
        this.#nextRefreshAt = performance.now() + this.#refreshMs
      })
    return this.#refreshing
  }

  /** Has to precede the reading of the directory, which has the versions that cells have seen by then. */
  async #askCells(): Promise<void> {
    this.#required = Math.max(this.#required, await Effect.runPromise(this.#cells.seen ?? Effect.succeed(0)))
  }

  async #readChanges(): Promise<void> {
    const { most, version: since } = this.#placements
    const before = this.#newest
    const read = () => Effect.runPromise(this.#source.read(since, most + 1))
    const former = this.#incarnation
    if (former === undefined) await this.#askCells()
    let rows = await read()
    if (former !== undefined && rows.incarnation !== former) {
      await this.#askCells()
      rows = await read()
    }
    this.#incarnation = rows.incarnation
    const { buckets, placements, version } = rows
    if (this.#isOlder(version, before)) throw older()
    this.#buckets = buckets
    this.#placements.apply(placements)
    this.#noteIdentities(rows)
  }

  #noteIdentities({ cells, id: directory }: DirectoryRows): void {
    // A connection that waits for this read must find the identity of a cell that has just joined.
    for (const { id, name } of cells)
      if (id !== null && directory !== undefined) this.#cells.expect?.({ id, directory, name })
    this.noteCells(cells.map(({ name }) => name))
  }
}
