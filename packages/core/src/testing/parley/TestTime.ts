/** A wall clock that a test has in its hand: it stands still until it is moved. */
export class TestTime {
  #now: number

  constructor(now: Date) {
    this.#now = now.getTime()
  }

  /** Unix milliseconds. */
  now(): number {
    return this.#now
  }

  /** Advances by this many milliseconds. */
  advance(ms: number): void {
    this.#now += ms
  }

  /** Moves to a moment. */
  set(moment: Date): void {
    this.#now = moment.getTime()
  }
}
