/** True for owners whose rows are those of another cell: a move left them, or has copied them and not ended. */
const LEFT = "m.remains OR m.state = 'arriving'"

/** The same, and owners who are being moved away. The index `moved_owners_unfinished` has this condition. */
const REFUSED = "m.remains OR m.state IN ('moving', 'arriving', 'leaving')"

/**
 * An SQL condition that leaves out the rows of owners with a mark. `owner` is the column, which is not null. If no owner
 * has a mark, one look into the index shows it; otherwise each row costs a look-up. A list of the owners would cost each row
 * the whole list if there are many, and a join could change the order in which the rows are read. The planner expects
 * that a CASE leaves half of the rows.
 */
const without = (mark: string, schema: string, owner: string): string =>
  `CASE WHEN (SELECT max(m.at) FROM ${schema}.moved_owners m WHERE ${REFUSED}) IS NULL THEN true ELSE
    (SELECT true FROM ${schema}.moved_owners m WHERE m.person = ${owner} COLLATE "C" AND (${mark})) IS NULL END`

/** A condition for lists and reports over all people: leaves out the rows of an owner who lives in another cell. */
export const livesHere = (schema: string, owner: string): string => without(LEFT, schema, owner)

/** The same condition for rows of people that no move erases. */
export const livesHereNow = (schema: string, owner: string): string =>
  `(${schema}.lives_here(${owner}) OR EXISTS (SELECT FROM ${schema}.moved_owners m
    WHERE m.person = ${owner} AND m.state IN ('moving', 'leaving')))`

/**
 * A condition for work that changes rows of all people: leaves out the rows whose changes the cell refuses, so that they
 * neither fail the work nor fill its batches. Place it before a limit.
 */
export const isWritable = (schema: string, owner: string): string => without(REFUSED, schema, owner)
