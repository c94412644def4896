import { useMessages } from "../messages/MessagesProvider.tsx"
import { Pieces } from "./Pieces.tsx"
import classes from "./TextTable.module.css"
import type { Paragraph, ShownTable } from "./textParts.ts"

/** The content of a cell without text. */
const NOTHING = <Pieces paragraph={[]} />

/** A table of a document. If it is wide, it has its own scroll bar. */
export const TextTable = ({ table: { names, namesRows, rows } }: { readonly table: ShownTable }) => {
  const { t } = useMessages()
  const label = t("documents.table", {
    rows: t("documents.table.rows", { count: rows.length }),
    columns: t("documents.table.columns", { count: rows[0]?.length ?? 0 })
  })
  return (
    <div role="group" className={classes.scroller} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        {names !== undefined && (
          <thead>
            <tr>
              {names.map((name, column) =>
                name === undefined ? (
                  <td key={column}>{NOTHING}</td>
                ) : (
                  <th key={column} scope="col">
                    <Pieces paragraph={name} />
                  </th>
                )
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <Cell key={column} cell={cell} namesRow={namesRows && column === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Cell = ({ cell, namesRow }: { readonly cell: Paragraph | undefined; readonly namesRow: boolean }) => {
  const words = cell && <Pieces paragraph={cell} />
  return namesRow && cell !== undefined ? <th scope="row">{words}</th> : <td>{words}</td>
}
