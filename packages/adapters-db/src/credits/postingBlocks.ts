/** Transactions of one account that follow each other, from `first` up to `last`. */
export interface PostingBlock {
  readonly userId: string
  readonly first: number
  readonly last: number
}

/** The transactions of accounts, from `first` up to the newest, cut into pages of at most `size` rows. */
export const postingBlocks = function* (
  accounts: ReadonlyArray<{ readonly user_id: string; readonly first: number; readonly transaction_count: number }>,
  size: number
): Generator<ReadonlyArray<PostingBlock>> {
  let page: Array<PostingBlock> = []
  let room = size
  for (const { user_id: userId, first, transaction_count: last } of accounts) {
    for (let from = first; from <= last;) {
      const to = Math.min(last, from + room - 1)
      page.push({ userId, first: from, last: to })
      room -= to - from + 1
      from = to + 1
      if (room > 0) continue
      yield page
      page = []
      room = size
    }
  }
  if (page.length > 0) yield page
}
