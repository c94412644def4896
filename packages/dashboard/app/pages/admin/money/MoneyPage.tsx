import type { MoneyReport } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { healthQuery, MONEY_DAYS, moneyQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { useModelName } from "../../../messages/useModelName.ts"
import { AdminFrame } from "../AdminFrame.tsx"
import { Section, type Tile, Tiles } from "../Section.tsx"
import { Table } from "../Table.tsx"
import { Waiting } from "../Waiting.tsx"
import { DaysView } from "./DaysView.tsx"
import { chargesOf, revenueOf, type Sum } from "./moneySums.ts"
import { PaymentsSection } from "./PaymentsSection.tsx"
import { VerifySection } from "./VerifySection.tsx"

/**
 * The charges and payments of today and of the last days, the payment events that need attention, and the verification.
 */
export const MoneyPage = () => {
  const { t } = useAdminMessages()
  const { data: money, error, refetch } = useQuery(moneyQuery)
  return (
    <AdminFrame title={t("admin.money")} lead={t("admin.money.lead")}>
      {money === undefined ? (
        <Waiting error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Today money={money} />
          <Charges money={money} />
          <Revenue money={money} />
        </>
      )}
      <PaymentsSection />
      <VerifySection />
    </AdminFrame>
  )
}

const creditsIn = (sums: ReadonlyArray<Sum>): number => sums.reduce((sum, { amount }) => sum + amount, 0)
const countIn = (sums: ReadonlyArray<Sum>): number => sums.reduce((sum, { count }) => sum + count, 0)

const Today = ({ money }: { readonly money: MoneyReport }) => {
  const { t, calendarDay, list, money: spoken, number } = useAdminMessages()
  const { data: health } = useQuery(healthQuery)
  const charges = chargesOf(money).today
  const revenue = revenueOf(money).today
  const refused = health?.paymentEvents.refused ?? 0
  const owed = health?.paymentEvents.owed ?? 0
  const tiles: ReadonlyArray<Tile> = [
    {
      name: t("admin.money.charged"),
      value: t("count.credits", { count: creditsIn(charges) }),
      remark: t("usage.days.replies", { count: countIn(charges) })
    },
    {
      name: t("admin.money.revenue"),
      value: revenue.length === 0 ? "–" : list(revenue.map(({ amount, id }) => spoken(amount, id))),
      remark: t("admin.money.payments", { count: countIn(revenue) })
    },
    { name: t("admin.money.refused"), value: number(refused), isBad: refused > 0 },
    { name: t("admin.money.owed"), value: number(owed), isBad: owed > 0 }
  ]
  return (
    <Section title={t("admin.money.today")} text={t("admin.money.today.text", { day: calendarDay(money.to) })}>
      <Tiles tiles={tiles} />
    </Section>
  )
}

const Charges = ({ money }: { readonly money: MoneyReport }) => {
  const { t, number } = useAdminMessages()
  const modelName = useModelName()
  const { days, today, total } = chargesOf(money)
  return (
    <>
      <DaysView
        title={t("admin.money.chargesByDay")}
        text={t("admin.money.sum", { sum: t("count.credits", { count: creditsIn(total) }), count: MONEY_DAYS })}
        days={days}
        series={total.map(({ id }) => ({ id, name: modelName(id) }))}
        valueText={(count) => t("count.credits", { count })}
        none={t("usage.days.none")}
      />
      <Section title={t("admin.money.byModel")}>
        <Table
          label={t("admin.money.byModel")}
          rows={total}
          keyOf={({ id }) => id}
          none={t("usage.days.none")}
          columns={[
            { name: t("usage.days.model"), cell: ({ id }) => modelName(id) },
            {
              name: t("admin.money.creditsToday"),
              isNumber: true,
              cell: ({ id }) => number(creditsIn(today.filter((sum) => sum.id === id)))
            },
            {
              name: t("admin.money.creditsInDays", { count: MONEY_DAYS }),
              isNumber: true,
              cell: ({ amount }) => number(amount)
            },
            { name: t("usage.days.count"), isNumber: true, cell: ({ count }) => number(count) }
          ]}
        />
      </Section>
    </>
  )
}

/** The payments by day, with a chart for each currency. */
const Revenue = ({ money }: { readonly money: MoneyReport }) => {
  const { t, money: spoken } = useAdminMessages()
  const { days, total } = revenueOf(money)
  const currencies = total.length === 0 ? [{ id: "", amount: 0, count: 0 }] : total
  return currencies.map(({ amount, count, id }) => (
    <DaysView
      key={id}
      title={id === "" ? t("admin.money.revenueByDay") : t("admin.money.revenueIn", { currency: id.toUpperCase() })}
      text={
        id === ""
          ? undefined
          : t("admin.money.sumOf", { sum: spoken(amount, id), payments: t("admin.money.payments", { count }) })
      }
      days={days}
      series={id === "" ? [] : [{ id, name: id.toUpperCase() }]}
      valueText={(value) => spoken(value, id)}
      none={t("admin.money.noRevenue")}
    />
  ))
}
