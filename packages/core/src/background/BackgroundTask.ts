import type { Effect, Scope } from "effect"

/** One kind of work outside requests, which a process does for as long as it lives. */
export interface BackgroundTask<R = never> {
  /** What happens without it, for a log line: "Uploaded documents are not being read". */
  readonly consequence: string
  /**
   * Works until interrupted, in a scope that closes then. Reports what it did by itself; a failure ends it, is logged and
   * has it begin anew, in a new scope. Any number of processes may run it at once.
   */
  readonly run: Effect.Effect<never, unknown, R | Scope.Scope>
  /** Milliseconds it may take to stop; afterwards it is left behind. */
  readonly stopWithinMs: number
}
