/**
 * An SQL condition for lists and reports over all people: leaves out the rows of an owner who lives in another cell. These
 * are the rows that a move left, until they are erased, and those that a move has copied and not ended. `owner` is the
 * column, which is not null.
 *
 * The owners are few, and read once for a statement. A join could change the order in which the rows are read.
 */
export const livesHere = (schema: string, owner: string): string =>
  `${owner} COLLATE "C" NOT IN (SELECT m.person FROM ${schema}.moved_owners m WHERE m.remains OR m.state = 'arriving')`

/** The same condition for rows of people that no move erases. */
export const livesHereNow = (schema: string, owner: string): string =>
  `(${schema}.lives_here(${owner}) OR EXISTS (SELECT FROM ${schema}.moved_owners m WHERE m.person = ${owner} AND m.state = 'moving'))`
