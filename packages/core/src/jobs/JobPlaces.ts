import type { UserId } from "../identity/UserId.ts"

/**
 * The number of recently served people whose order is remembered: in practice more people than wait at the same time.
 */
const REMEMBERED = 500

/**
 * Distributes the jobs of people fairly over a number of places. The waiting person who was served the longest time ago
 * is next. One person never takes the last free place, so that others find one.
 */
export class JobPlaces {
  readonly #share: number
  readonly #running = new Map<UserId, number>()
  /** The recently served people, the person served the longest time ago first. */
  readonly #served = new Set<UserId>()

  /** `places` is the number of concurrent jobs. One person may have all places except one, or the only place. */
  constructor(places: number) {
    this.#share = Math.max(1, places - 1)
  }

  /** The number of occupied places. */
  get running(): number {
    let sum = 0
    for (const number of this.#running.values()) sum += number
    return sum
  }

  /** The people who have the maximum number of places for one person. */
  get full(): ReadonlyArray<UserId> {
    return [...this.#running].filter(([, number]) => number >= this.#share).map(([userId]) => userId)
  }

  /** The recently served people, the person served the longest time ago first. All other people come before them. */
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

  /** Returns a person's place. */
  end(userId: UserId): void {
    const number = (this.#running.get(userId) ?? 0) - 1
    if (number > 0) this.#running.set(userId, number)
    else this.#running.delete(userId)
  }

  /**
   * Returns the next of the waiting items, which are in the order of arrival; undefined if all their people have the
   * maximum number of places.
   */
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
