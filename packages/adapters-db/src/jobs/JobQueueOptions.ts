/**
 * The settings of one process's work on the job queue. They are separate from the queue library's own types, because
 * users see them.
 */
export interface JobQueueOptions {
  /** The number of concurrent jobs of one process; 2 unless given. */
  readonly concurrency?: number | undefined
  /** Seconds between looks for jobs enqueued by other processes, 0.5 or more; 1 unless given. */
  readonly pollingIntervalSeconds?: number | undefined
  /** Milliseconds a running try may still take once its worker stops; 10,000 unless given. */
  readonly stopTimeoutMs?: number | undefined
  /** Called when a background statement of the queue fails, for example while the database is down. For logs. */
  readonly onError?: ((error: Error) => void) | undefined
}
