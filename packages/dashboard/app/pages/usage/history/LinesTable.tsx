import type { ReactNode } from "react"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import classes from "./HistorySection.module.css"

interface Line {
  readonly label: ReactNode
  /**
   * The quantity, the price and the resulting credits. The price is undefined if different parts of the quantity have
   * different prices.
   */
  readonly figures: readonly [quantity: number, price: number | undefined, credits: number]
}

interface LinesTableProps {
  /** The headings of the first two figures. */
  readonly headings: readonly [quantity: string, price: string]
  readonly lines: ReadonlyArray<Line>
  readonly maximumFractionDigits: number
  readonly charged: number
  readonly notes: ReadonlyArray<string>
}

/** The calculation of a price, line by line. */
export const LinesTable = ({ charged, headings, lines, maximumFractionDigits, notes }: LinesTableProps) => {
  const { t, number } = useMessages()
  return (
    <>
      <table className={classes.receipt}>
        <thead>
          <tr>
            {[t("usage.receipt.what"), ...headings, t("usage.receipt.credits")].map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ figures, label }, place) => (
            <tr key={place}>
              <th scope="row">{label}</th>
              {figures.map((figure, column) => (
                <td key={column}>{figure !== undefined && number(figure, { maximumFractionDigits })}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {t("usage.receipt.charged")}
            </th>
            <td>{number(charged)}</td>
          </tr>
        </tfoot>
      </table>
      <p className={classes.notes}>{notes.join(" ")}</p>
    </>
  )
}
