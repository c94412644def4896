/** A position in the log of the primary server, in bytes, and a time at which it was not yet passed. */
interface Sample {
  readonly atMs: number
  readonly position: number
}

/**
 * The age of a replica's rows, from positions in the log alone: no clock of a server is compared with another one. The
 * replica has all rows of the time at which the primary server was at the position that the replica has replayed.
 */
export class ReplicaLag {
  #samples: ReadonlyArray<Sample> = []
  /** All commits before this time are in the replica. */
  #completeAtMs = Number.NEGATIVE_INFINITY

  /** The primary server was asked at `atMs`, and then was at `position`. */
  primaryAt(atMs: number, position: number): void {
    this.#samples = [...this.#samples, { atMs, position }].slice(-MOST_SAMPLES)
  }

  /** The replica has replayed the log up to `position`. */
  replayedTo(position: number): void {
    const reached = this.#samples.findLast((sample) => sample.position <= position)
    if (reached === undefined) return
    this.#completeAtMs = Math.max(this.#completeAtMs, reached.atMs)
    this.#samples = this.#samples.filter(({ atMs }) => atMs > reached.atMs)
  }

  /** The most milliseconds by which a row may be older than the primary's; infinite if unknown. */
  lagMs(nowMs: number): number {
    return nowMs - this.#completeAtMs
  }
}

/** Of a replica that lags further, the age is known once it has reached the newest of these. */
const MOST_SAMPLES = 60
