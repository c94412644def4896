/** A clock that a test controls: it stands still until the test moves it. */
export class TestTime {
  #now: number

  constructor(now: Date) {
    this.#now = now.getTime()
  }

  /** Unix milliseconds. */
  now(): number {
    return this.#now
  }

  /** Advances the clock by this number of milliseconds. */
  advance(ms: number): void {
    this.#now += ms
  }

  /** Sets the clock to a time. */
  set(moment: Date): void {
    this.#now = moment.getTime()
  }
}
