/**
 * The maximum number of refusals of one kind that are reported one by one in a window; `REPORTED_OF_ADDRESS` is that
 * from one address.
 */
const REPORTED_AT_ONCE = 20
const REPORTED_OF_ADDRESS = 5
/**
 * The maximum number of addresses of one kind that are counted separately; refusals from further addresses are counted
 * together.
 */
const MOST_ADDRESSES = 1_000
/** The maximum number of addresses that the report at the end of a window names: those with the most refusals. */
const NAMED_AT_END = 20

/** The common name of addresses that are not counted or not reported separately. */
export const OTHER_ADDRESSES = "others"

/** The properties by which a refused request is counted. */
export interface CountedRefusal {
  /** The code of the refusal, from a closed list. */
  readonly outcome: string
  /** A finer distinction of the code, from a closed list. */
  readonly problem: string | undefined
  /** The name under which calls from an address are counted. */
  readonly address: string
  readonly route: string
  /** True if the refusal may be part of an attack. */
  readonly suspicious: boolean
}

/** Refusals of one kind and address that were not reported one by one. */
export interface RefusalReport extends CountedRefusal {
  readonly count: number
}

interface Count {
  /** The first refusal of the window. */
  readonly first: CountedRefusal
  reported: number
  unreported: number
}

interface Kind {
  reported: number
  readonly addresses: Map<string, Count>
  /** The refusals from addresses that are not counted separately. */
  others: Count | undefined
}

/**
 * Counts the refusals of a window by kind and address, in bounded memory. Every refusal is either reported at once or
 * part of a report at the end of the window, so the sum of both is the number of refusals.
 */
export class RefusalCounts {
  readonly #kinds = new Map<string, Kind>()
  /** The number of refusals of each kind since this process started. */
  readonly #totals = new Map<string, number>()

  /** Counts a refusal; returns true if it has to be reported at once. */
  add(refusal: CountedRefusal): boolean {
    const name = refusal.problem === undefined ? refusal.outcome : `${refusal.outcome} ${refusal.problem}`
    this.#totals.set(name, (this.#totals.get(name) ?? 0) + 1)
    const known = this.#kinds.get(name)
    const kind = known ?? { reported: 0, addresses: new Map<string, Count>(), others: undefined }
    if (known === undefined) this.#kinds.set(name, kind)
    const count = countOf(kind, refusal)
    if (kind.reported >= REPORTED_AT_ONCE || count.reported >= REPORTED_OF_ADDRESS) {
      count.unreported += 1
      return false
    }
    kind.reported += 1
    count.reported += 1
    return true
  }

  /** Ends the window; returns the reports of all refusals that were not reported at once. */
  end(): ReadonlyArray<RefusalReport> {
    const reports = [...this.#kinds.values()].flatMap(reportsOf)
    this.#kinds.clear()
    return reports
  }

  /** The numbers of refusals since this process started, by code and problem. */
  get totals(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#totals)
  }

  /** The number of addresses that are counted separately. */
  get size(): number {
    return [...this.#kinds.values()].reduce((sum, { addresses }) => sum + addresses.size, 0)
  }
}

const countOf = (kind: Kind, refusal: CountedRefusal): Count => {
  const known = kind.addresses.get(refusal.address)
  if (known !== undefined) return known
  if (kind.addresses.size >= MOST_ADDRESSES) {
    return (kind.others ??= { first: { ...refusal, address: OTHER_ADDRESSES }, reported: 0, unreported: 0 })
  }
  const count = { first: refusal, reported: 0, unreported: 0 }
  kind.addresses.set(refusal.address, count)
  return count
}

const reportsOf = ({ addresses, others }: Kind): ReadonlyArray<RefusalReport> => {
  const counts = [...addresses.values()].toSorted((a, b) => b.unreported - a.unreported)
  const named = counts.slice(0, NAMED_AT_END)
  const rest = [...counts.slice(NAMED_AT_END), ...(others === undefined ? [] : [others])]
  const [first] = rest
  const merged =
    first === undefined
      ? []
      : [
          {
            first: { ...first.first, address: OTHER_ADDRESSES },
            unreported: rest.reduce((sum, { unreported }) => sum + unreported, 0)
          }
        ]
  return [...named, ...merged].flatMap((count) =>
    count.unreported === 0 ? [] : [{ ...count.first, count: count.unreported }]
  )
}
