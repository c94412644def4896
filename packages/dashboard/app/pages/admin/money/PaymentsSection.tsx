import type { PaymentEvent } from "@parley/client"
import { NativeSelect } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { OPEN_STATES, type OpenState, paymentsQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { MoreButton } from "../MoreButton.tsx"
import { personPath } from "../personPath.ts"
import { Section } from "../Section.tsx"
import { type Column, Table } from "../Table.tsx"
import { Waiting } from "../Waiting.tsx"

/** The payment events that need attention, by state, each with the reason. */
export const PaymentsSection = () => {
  const { t } = useAdminMessages()
  const [state, setState] = useState<OpenState>("refused")
  const payments = useInfiniteQuery(paymentsQuery(state))
  const columns = useColumns()
  return (
    <Section
      title={t("admin.payments")}
      text={t(`admin.payments.${state}.text`)}
      tools={
        <NativeSelect
          aria-label={t("admin.payments.state")}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value as OpenState)}
          data={OPEN_STATES.map((value) => ({ value, label: t(`admin.payments.${value}`) }))}
        />
      }
    >
      {payments.data === undefined ? (
        <Waiting error={payments.error} onRetry={() => void payments.refetch()} />
      ) : (
        <Table
          label={t("admin.payments")}
          rows={payments.data.pages.flatMap(({ events }) => events)}
          keyOf={({ id }) => id}
          columns={columns}
          none={t("admin.payments.none")}
        />
      )}
      <MoreButton {...payments} />
    </Section>
  )
}

const useColumns = (): ReadonlyArray<Column<PaymentEvent>> => {
  const { t, moment } = useAdminMessages()
  return [
    { name: t("admin.payments.event"), isLong: true, cell: ({ id }) => id },
    { name: t("admin.payments.kind"), cell: ({ kind }) => kind },
    { name: t("admin.reason"), isLong: true, cell: ({ note }) => note },
    {
      name: t("admin.person"),
      isLong: true,
      cell: ({ userId }) => (userId === null ? "–" : <Link to={personPath(userId)}>{userId}</Link>)
    },
    { name: t("admin.payments.received"), cell: ({ receivedAt }) => moment(receivedAt) }
  ]
}
