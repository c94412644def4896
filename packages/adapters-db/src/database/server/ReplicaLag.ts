/**
 * A position in the log of the primary server, in bytes, and a time at which the primary server had not passed it yet.
 */
interface Sample {
  readonly atMs: number
  readonly position: number
}

/**
 * Computes the age of a replica's rows from positions in the log, without comparing clocks of servers. When the replica
 * has replayed the log up to a position, it has all rows that were committed before the primary server was at that
 * position.
 */
export class ReplicaLag {
  #samples: ReadonlyArray<Sample> = []
  /** The time before which all commits are in the replica. */
  #completeAtMs = Number.NEGATIVE_INFINITY

  /** Records that the primary server, asked at `atMs`, was at `position`. */
  primaryAt(atMs: number, position: number): void {
    this.#samples = [...this.#samples, { atMs, position }].slice(-MOST_SAMPLES)
  }

  /** Records that the replica has replayed the log up to `position`. */
  replayedTo(position: number): void {
    const reached = this.#samples.findLast((sample) => sample.position <= position)
    if (reached === undefined) return
    this.#completeAtMs = Math.max(this.#completeAtMs, reached.atMs)
    this.#samples = this.#samples.filter(({ atMs }) => atMs > reached.atMs)
  }

  /** Returns an upper limit for the age of the replica's rows in milliseconds; infinite if the age is unknown. */
  lagMs(nowMs: number): number {
    return nowMs - this.#completeAtMs
  }
}

/**
 * The most samples that are kept. If a replica lags behind the oldest sample, its age is unknown until it reaches one.
 */
const MOST_SAMPLES = 60
