import type { UsageReport } from "@parley/client"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import classes from "./DaysSection.module.css"
import { sourceName } from "../sourceName.ts"
import { useModelName } from "../../../messages/useModelName.ts"

/** The numbers of the chart, newest day first. */
export const DaysTable = ({ usage: { usage } }: { readonly usage: UsageReport }) => {
  const messages = useMessages()
  const { t, number, calendarDay } = messages
  const modelName = useModelName()
  const sum = (field: "replies" | "credits" | "input_tokens" | "output_tokens") =>
    number(usage.reduce((total, row) => total + row[field], 0))
  return (
    <section className={classes.scroller} aria-label={t("usage.days.table")} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t("usage.days.day")}</th>
            <th scope="col">{t("usage.days.model")}</th>
            <th scope="col">{t("usage.days.source")}</th>
            <th scope="col" className={classes.number}>
              {t("usage.days.count")}
            </th>
            <th scope="col" className={classes.number}>
              {t("usage.days.credits")}
            </th>
            <th scope="col" className={classes.number}>
              {t("usage.days.tokens")}
            </th>
          </tr>
        </thead>
        <tbody>
          {usage.toReversed().map((row) => (
            <tr key={`${row.day} ${row.source} ${row.model}`}>
              <th scope="row">{calendarDay(row.day)}</th>
              <td>{modelName(row.model)}</td>
              <td>{sourceName(row.source, messages)}</td>
              <td className={classes.number}>{number(row.replies)}</td>
              <td className={classes.number}>{number(row.credits)}</td>
              <td className={classes.number}>
                {number(row.input_tokens)} + {number(row.output_tokens)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {t("usage.days.total")}
            </th>
            <td className={classes.number}>{sum("replies")}</td>
            <td className={classes.number}>{sum("credits")}</td>
            <td className={classes.number}>
              {sum("input_tokens")} + {sum("output_tokens")}
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}
