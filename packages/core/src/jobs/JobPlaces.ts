import type { UserId } from "../identity/UserId.ts"

/** Number of recently served people whose order is kept: more than wait at a time in practice. */
const REMEMBERED = 500

/**
 * Schedules the jobs of people fairly on a number of places. The waiting person who was served longest ago is next. One
 * person never takes the last place, so that others find a free one.
 */
export class JobPlaces {
  readonly #share: number
  readonly #running = new Map<UserId, number>()
  /** Oldest first. */
  readonly #served = new Set<UserId>()

  /** `places` is the number of concurrent jobs. A person may have all but one of them, or the only one. */
  constructor(places: number) {
    this.#share = Math.max(1, places - 1)
  }

  /** The number of occupied places. */
  get running(): number {
    let sum = 0
    for (const number of this.#running.values()) sum += number
    return sum
  }

  /** People who have their full share. */
  get full(): ReadonlyArray<UserId> {
    return [...this.#running].filter(([, number]) => number >= this.#share).map(([userId]) => userId)
  }

  /** Recently served people, longest ago first. Other people come before all of them. */
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

  /** The next of the waiting items, in the order of arrival; undefined if all people have their share. */
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
