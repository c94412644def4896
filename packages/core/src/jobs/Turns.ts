import type { UserId } from "../identity/UserId.ts"

/** People served lately whose order is kept: more than can wait at a time in practice. */
const REMEMBERED = 500

/**
 * Who works in a number of places, and who did lately: what makes turns fair between people. Of those who wait, the one
 * served longest ago is next; and one person never takes the last place, so that others find one at once.
 */
export class Turns {
  readonly #share: number
  readonly #running = new Map<UserId, number>()
  /** Oldest first. */
  readonly #served = new Set<UserId>()

  /** `places` is how many work at a time. A person may have all but one of them, and one where there is only one. */
  constructor(places: number) {
    this.#share = Math.max(1, places - 1)
  }

  /** How many work now. */
  get running(): number {
    let sum = 0
    for (const number of this.#running.values()) sum += number
    return sum
  }

  /** People who have their whole share. */
  get full(): ReadonlyArray<UserId> {
    return [...this.#running].filter(([, number]) => number >= this.#share).map(([userId]) => userId)
  }

  /** People served lately, the longest ago first. Who is not among them goes before all of them. */
  get served(): ReadonlyArray<UserId> {
    return [...this.#served]
  }

  /** A person takes a place. */
  begin(userId: UserId): void {
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1)
    this.#served.delete(userId)
    this.#served.add(userId)
    const [oldest] = this.#served
    if (this.#served.size > REMEMBERED && oldest !== undefined) this.#served.delete(oldest)
  }

  /** A person gives a place back. */
  end(userId: UserId): void {
    const number = (this.#running.get(userId) ?? 0) - 1
    if (number > 0) this.#running.set(userId, number)
    else this.#running.delete(userId)
  }

  /** Whose turn it is among those who wait, in the order they came; nobody's where all of them have their share. */
  next<W extends { readonly userId: UserId }>(waiting: Iterable<W>): W | undefined {
    const full = new Set(this.full)
    const places = new Map(this.served.map((userId, place) => [userId, place]))
    let best: W | undefined
    let bestPlace = Number.POSITIVE_INFINITY
    for (const each of waiting) {
      const place = places.get(each.userId) ?? -1
      if (full.has(each.userId) || place >= bestPlace) continue
      best = each
      bestPlace = place
    }
    return best
  }
}
