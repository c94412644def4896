/** The queue for a connection is full. */
export class ConnectionsUsedUp extends Error {
  override readonly name = "ConnectionsUsedUp"
}

interface Waiting {
  readonly go: () => void
}

/**
 * Limits the connections to one vendor: at most `limit` concurrent requests, each with its own connection, and at most
 * `maxWaiting` requests in a queue, first come, first served.
 */
export class Connections {
  readonly #limit: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<Waiting>()
  #used = 0

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit
    this.#maxWaiting = maxWaiting
  }

  /**
   * Resolves when a connection is available, which is given back when the signal aborts. Rejects if the signal aborts
   * earlier.
   */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#used < this.#limit) this.#used += 1
    else await this.#wait(signal)
    if (signal.aborted) {
      this.#giveBack()
      signal.throwIfAborted()
    }
    signal.addEventListener("abort", () => this.#giveBack(), { once: true })
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) throw new ConnectionsUsedUp("Too many requests wait for a connection.")
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        go: () => {
          signal.removeEventListener("abort", leave)
          resolve()
        }
      }
      this.#waiting.add(waiting)
      signal.addEventListener("abort", leave, { once: true })
    })
  }

  /** The request that has waited longest takes the connection over. */
  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#used -= 1
      return
    }
    this.#waiting.delete(next)
    next.go()
  }
}
