import type { Transaction } from "@parley/client"
import { useId, useState } from "react"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "./HistorySection.module.css"
import { ReceiptTable } from "./ReceiptTable.tsx"
import { WorkReceiptTable } from "./WorkReceiptTable.tsx"
import { sourceName } from "../sourceName.ts"
import { useModelName } from "../../../messages/useModelName.ts"

const SIGNED = { signDisplay: "exceptZero" } as const

/** One change of the balance. A click opens its receipt. */
export const HistoryRow = ({ transaction }: { readonly transaction: Transaction }) => {
  const messages = useMessages()
  const { t, number, moment } = messages
  const modelName = useModelName()
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const { amount, balance_after: left, created_at: at, model, source, transaction_type: type } = transaction
  const isWork = transaction.receipt !== null && "lines" in transaction.receipt
  const about = [
    moment(at),
    ...(model === null ? [] : [modelName(model)]),
    ...(source === null || source === "chat" ? [] : [sourceName(source, messages)])
  ]
  return (
    <li className={classes.row}>
      <button
        type="button"
        className={classes.summary}
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={classes.chevron} data-open={isOpen}>
          <Icon name="chevronRight" size={16} />
        </span>
        <span className={classes.words}>
          <span className={classes.what}>{t(isWork ? "usage.row.work" : `usage.row.${type}`)}</span>
          <span className={classes.about}>{about.join(" · ")}</span>
        </span>
        <span className={classes.numbers}>
          <span className={classes.change} data-gain={amount > 0}>
            {number(amount, SIGNED)}
          </span>
          <span className={classes.about}>{t("usage.history.after", { count: left })}</span>
        </span>
      </button>
      <div id={details} className={classes.details} hidden={!isOpen}>
        {isOpen && <Details transaction={transaction} />}
      </div>
    </li>
  )
}

/** The receipt of a reply or of metered work, and the change of each bucket. */
const Details = ({ transaction }: { readonly transaction: Transaction }) => {
  const { t, number } = useMessages()
  const { amount, allowance_amount: allowance, receipt, reference, topup_amount: topup } = transaction
  const changes = [
    { name: t("usage.change.allowance"), change: allowance },
    { name: t("usage.change.topup"), change: topup },
    // The rest of the amount changed the debt; a change that raises the balance repays debt.
    { name: t("usage.change.debt"), change: -(amount - allowance - topup) }
  ].filter(({ change }) => change !== 0)
  return (
    <>
      {receipt !== null &&
        ("lines" in receipt ? <WorkReceiptTable receipt={receipt} /> : <ReceiptTable receipt={receipt} />)}
      <dl className={classes.changes}>
        {changes.map(({ name, change }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number(change, SIGNED)}</dd>
          </div>
        ))}
        <div>
          <dt>{t("usage.change.reference")}</dt>
          <dd className={classes.reference}>{reference}</dd>
        </div>
      </dl>
    </>
  )
}
