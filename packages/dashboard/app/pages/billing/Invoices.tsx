import type { Invoice } from "@parley/client"
import { Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { invoicesQuery } from "../../api/plans.ts"
import { english, type MessageKey } from "../../messages/catalogue.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import shared from "./BillingPage.module.css"
import classes from "./Invoices.module.css"

/** The person's invoices, newest first. */
export const Invoices = ({ customerId }: { readonly customerId: string | null }) => {
  const { t } = useMessages()
  return (
    <section aria-label={t("billing.invoices")}>
      <div className={shared.head}>
        <Title order={2} size="h4">
          {t("billing.invoices")}
        </Title>
      </div>
      {customerId === null ? <None /> : <Listed customerId={customerId} />}
    </section>
  )
}

const None = () => {
  const { t } = useMessages()
  return (
    <Text c="dimmed" className={classes.none ?? ""}>
      {t("billing.invoices.none")}
    </Text>
  )
}

const Listed = ({ customerId }: { readonly customerId: string }) => {
  const { t } = useMessages()
  const { data: invoices, error, refetch } = useQuery(invoicesQuery(customerId))
  if (invoices === undefined) {
    return error === null ? <Loading /> : <ProblemNotice error={error} onRetry={() => void refetch()} />
  }
  if (invoices.length === 0) return <None />
  return (
    <div className={classes.frame}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t("billing.invoices.date")}</th>
            <th scope="col">{t("billing.invoices.what")}</th>
            <th scope="col" className={classes.amount}>
              {t("billing.invoices.amount")}
            </th>
            <th scope="col">{t("billing.invoices.status")}</th>
            <th scope="col">
              <span className="visually-hidden">{t("billing.invoices.link")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invoices.map((invoice) => (
            <Row key={invoice.id} invoice={invoice} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Row = ({ invoice }: { readonly invoice: Invoice }) => {
  const { t, day, money } = useMessages()
  const { amount, currency, date, description, invoiceUrl, status } = invoice
  return (
    <tr>
      <td className={classes.date}>{day(date)}</td>
      <td className={classes.what}>{description ?? "–"}</td>
      <td className={classes.amount}>{money(amount, currency)}</td>
      <td>
        <span className={classes.status} data-status={status ?? ""}>
          {statusWords(status, t)}
        </span>
      </td>
      <td className={classes.link}>
        {invoiceUrl !== null && (
          <a
            href={invoiceUrl}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`${t("billing.invoices.openNamed", { day: day(date) })}, ${t("billing.invoices.newTab")}`}
          >
            {t("billing.invoices.open")}
          </a>
        )}
      </td>
    </tr>
  )
}

const isKey = (key: string): key is MessageKey => Object.hasOwn(english, key)

/** The text for an invoice's status, or the provider's own word if there is no text. */
const statusWords = (status: string | null, t: (key: MessageKey) => string): string => {
  const key = `billing.invoice.${status ?? ""}`
  return isKey(key) ? t(key) : (status ?? "–")
}
