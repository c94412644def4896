/** Counts the requests being worked on, so that a server can end after the last of them. */
export class RequestTracker {
  readonly #running = new Set<Promise<void>>()

  /** Requests being worked on. */
  get size(): number {
    return this.#running.size
  }

  /** Counts a request until it is done. */
  track(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves once no request is being worked on. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }
}
