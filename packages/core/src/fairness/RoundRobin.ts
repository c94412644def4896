/** A queue by person: people are served round robin, and the items of one person in the order of arrival. */
export class RoundRobin<A> {
  readonly #waiting = new Map<string, Array<A>>()
  #size = 0

  /** The number of waiting items. */
  get size(): number {
    return this.#size
  }

  add(person: string, item: A): void {
    const own = this.#waiting.get(person)
    if (own === undefined) this.#waiting.set(person, [item])
    else own.push(item)
    this.#size += 1
  }

  /** Takes the next item of the first person for whom `mayHave` is true; undefined if no item waits. */
  next(mayHave: (person: string) => boolean = () => true): A | undefined {
    const turn = this.#waiting.entries().find(([person]) => mayHave(person))
    if (turn === undefined) return undefined
    const [person, own] = turn
    const item = own.shift()
    this.#waiting.delete(person)
    if (own.length > 0) this.#waiting.set(person, own)
    this.#size -= 1
    return item
  }

  /** Removes a waiting item; returns true if it was there. */
  remove(person: string, item: A): boolean {
    const own = this.#waiting.get(person) ?? []
    const at = own.indexOf(item)
    if (at < 0) return false
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(person)
    this.#size -= 1
    return true
  }
}
