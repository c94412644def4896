/*
 * Billing periods in SQL, as `periodStart` and `periodAt` of the core compute them. Both are pieces of SQL text made of
 * pieces of SQL text, not of values.
 */

/** The start of the `number`-th period of `anchor`: Postgres, too, clamps to the month's last day. */
export const periodStartSql = (anchor: string, number: string): string =>
  `(((${anchor}) AT TIME ZONE 'UTC' + make_interval(months => ${number})) AT TIME ZONE 'UTC')`

const monthsSql = (moment: string): string =>
  `(extract(year FROM (${moment}) AT TIME ZONE 'UTC') * 12 + extract(month FROM (${moment}) AT TIME ZONE 'UTC'))::int`

/** The number of the period of `anchor` that contains `moment`; 0 before the anchor. */
export const periodNumberSql = (anchor: string, moment: string): string => {
  const months = `(${monthsSql(moment)} - ${monthsSql(anchor)})`
  return `greatest(0, CASE WHEN ${periodStartSql(anchor, months)} > ${moment} THEN ${months} - 1 ELSE ${months} END)`
}
