/**
 * The settings of the job queue in one process. They are separate from the types of the queue library, because users of
 * this package see them.
 */
export interface JobQueueOptions {
  /** The number of jobs that run at the same time in one process; 2 by default. */
  readonly concurrency?: number | undefined
  /** Seconds between two searches for jobs that other processes have enqueued, at least 0.5; 1 by default. */
  readonly pollingIntervalSeconds?: number | undefined
  /** Milliseconds for which running tries may continue after their worker was asked to stop; 10,000 by default. */
  readonly stopTimeoutMs?: number | undefined
  /** Called if a background statement of the queue fails, for example while the database is down; meant for logs. */
  readonly onError?: ((error: Error) => void) | undefined
}
