/** Tells those who show a balance that credits were spent. */
export class Spending {
  readonly #listeners = new Set<() => void>()

  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Returns the function that ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
