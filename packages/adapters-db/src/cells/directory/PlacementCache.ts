import type { PlacementRow } from "./directorySql.ts"

/** The known placement of an owner; `cell` is undefined for an owner in the cell of its bucket. */
interface Known {
  readonly cell: string | undefined
  readonly version: number
}

const NOT_PLACED: Known = { cell: undefined, version: 0 }

/**
 * The placements of owners in memory. As long as all of them fit, an owner who is not among them has none. If there are
 * more, the owners used last are kept, with and without a placement, and each other one costs a statement.
 */
export class PlacementCache {
  readonly most: number
  readonly #known = new Map<string, Known>()
  #hasAll = true
  #version = 0

  constructor(most: number) {
    this.most = most
  }

  /** The newest version that was read. */
  get version(): number {
    return this.#version
  }

  /** Undefined if only the database knows. */
  get(owner: string): Known | undefined {
    if (this.#hasAll) return this.#known.get(owner) ?? NOT_PLACED
    const known = this.#known.get(owner)
    if (known === undefined) return undefined
    this.#known.delete(owner)
    this.#known.set(owner, known)
    return known
  }

  /** Takes the changes since `version`, newest first. With more than `most` of them, the older ones are unknown. */
  apply(rows: ReadonlyArray<PlacementRow>): void {
    if (rows.length > this.most) {
      this.#known.clear()
      this.#hasAll = false
    }
    for (const { cell, owner, version } of rows.slice(0, this.most).toReversed()) {
      this.#put(owner, { cell, version })
      this.#version = Math.max(this.#version, version)
    }
  }

  /**
   * Takes what a statement found about one owner. `noted` is `version` before the statement: if it has changed since, a
   * placement may have been read that is newer than the finding.
   */
  note(owner: string, found: Pick<PlacementRow, "cell" | "version"> | undefined, noted: number): void {
    if (found !== undefined) {
      const known = this.#known.get(owner)
      if (known === undefined || known.version <= found.version) this.#put(owner, found)
    } else if (!this.#hasAll && this.#version === noted) this.#put(owner, NOT_PLACED)
  }

  #put(owner: string, known: Known): void {
    this.#known.delete(owner)
    this.#known.set(owner, known)
    if (this.#known.size <= this.most) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
    this.#hasAll = false
  }
}
