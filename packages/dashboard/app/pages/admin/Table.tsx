import type { ReactNode } from "react"
import classes from "./Admin.module.css"

export interface Column<Row> {
  readonly name: string
  readonly isNumber?: boolean
  /** True if the cells may contain long texts such as ids, which may break at any character. */
  readonly isLong?: boolean
  readonly cell: (row: Row) => ReactNode
}

export interface TableProps<Row> {
  /** The accessible name of the table. */
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string | number
  /** The columns. The first one contains the names of the rows. */
  readonly columns: ReadonlyArray<Column<Row>>
  /** Shown if there are no rows. */
  readonly none: string
}

/** A table. If it is wide, it has its own scroll bar. */
export const Table = <Row,>({ label, rows, keyOf, columns, none }: TableProps<Row>) => {
  if (rows.length === 0) return <div className={classes.none}>{none}</div>
  return (
    <div role="group" className={classes.scroller} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map(({ isNumber, name }) => (
              <th key={name} scope="col" data-number={isNumber === true}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ cell, isLong, isNumber, name }, place) =>
                place === 0 ? (
                  <th key={name} scope="row" data-long={isLong === true}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} data-number={isNumber === true} data-long={isLong === true}>
                    {cell(row)}
                  </td>
                )
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
