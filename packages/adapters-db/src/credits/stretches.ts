/** Transactions of one account that follow each other, from `first` up to `last`. */
export interface Stretch {
  readonly userId: string
  readonly first: number
  readonly last: number
}

/** The transactions of accounts, from `first` up to `entries`, cut into pages of at most `size` rows. */
export const stretchesOf = function* (
  accounts: ReadonlyArray<{ readonly user_id: string; readonly first: number; readonly entries: number }>,
  size: number
): Generator<ReadonlyArray<Stretch>> {
  let page: Array<Stretch> = []
  let room = size
  for (const { user_id: userId, first, entries } of accounts) {
    for (let from = first; from <= entries;) {
      const last = Math.min(entries, from + room - 1)
      page.push({ userId, first: from, last })
      room -= last - from + 1
      from = last + 1
      if (room > 0) continue
      yield page
      page = []
      room = size
    }
  }
  if (page.length > 0) yield page
}
