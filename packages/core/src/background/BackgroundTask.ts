import type { Effect, Scope } from "effect"

/** One kind of work outside requests, which a process does for as long as it lives. */
export interface BackgroundTask<R = never> {
  /** The consequence if no process runs it, for a log line: "Uploaded documents are not being read". */
  readonly consequence: string
  /**
   * Works until interrupted, in a scope that closes then. It logs its results itself; after a failure, which is
   * logged, it restarts in a new scope. Any number of processes may run it at once.
   */
  readonly run: Effect.Effect<never, unknown, R | Scope.Scope>
  /** Milliseconds in which it must stop; afterwards the process stops waiting for it. */
  readonly stopWithinMs: number
}
