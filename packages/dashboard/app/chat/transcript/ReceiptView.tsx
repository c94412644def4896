import type { Receipt } from "@parley/client"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { useModelName } from "../../messages/useModelName.ts"
import classes from "./ReceiptView.module.css"

/** The calculation of a reply's price, one line for each kind of tokens. */
export const ReceiptView = ({ receipt }: { readonly receipt: Receipt }) => {
  const { t, number } = useMessages()
  const modelName = useModelName()
  const { price, usage, charged, estimated, model, rewrite } = receipt
  const lines = [
    { label: t("chat.receipt.input"), tokens: usage.fresh_input + usage.cache_write, rate: price.credits_per_1k_input },
    { label: t("chat.receipt.cached"), tokens: usage.cache_read, rate: price.credits_per_1k_cached_input },
    { label: t("chat.receipt.output"), tokens: usage.output, rate: price.credits_per_1k_output }
  ].filter(({ tokens }, index) => tokens > 0 || index !== 1)
  return (
    <div className={classes.receipt}>
      <table>
        <caption>
          {t("chat.receipt.title")} · {modelName(model)}
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{t("chat.receipt.what")}</span>
            </th>
            <th scope="col">{t("chat.receipt.line")}</th>
            <th scope="col">{t("chat.receipt.rate", { unit: 1_000 })}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, tokens, rate }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{number(tokens)}</td>
              <td>{number(rate)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {rewrite && (
            <tr>
              <th scope="row">{t("chat.receipt.rewrite", { model: modelName(rewrite.model) })}</th>
              <td colSpan={2}>{t("count.credits", { count: rewrite.credits })}</td>
            </tr>
          )}
          <tr>
            <th scope="row">{t("chat.receipt.charged")}</th>
            <td colSpan={2}>{t("count.credits", { count: charged })}</td>
          </tr>
        </tfoot>
      </table>
      <p>
        {t("chat.receipt.minimum", { count: price.minimum_credits })} {rewrite && t("chat.receipt.rewritten")}{" "}
        {(estimated || rewrite?.estimated) && t("chat.receipt.estimated")}
      </p>
    </div>
  )
}
