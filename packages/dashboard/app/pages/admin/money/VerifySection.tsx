import type { AccountDifference } from "@parley/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { moneyQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import classes from "../Admin.module.css"
import { personPath } from "../personPath.ts"
import { Section } from "../Section.tsx"
import { type Column, Table } from "../Table.tsx"
import { useVerification } from "./useVerification.ts"

/** The largest number of differences that are shown; the command `parley credits verify` lists all. */
const SHOWN = 100

/** A button that compares every account with its rows of the last day. */
export const VerifySection = () => {
  const { t } = useAdminMessages()
  const { start, state, stop } = useVerification()
  const { accounts, differences, error, status } = state
  const isRunning = status === "running"
  const columns = useColumns()
  const counts = {
    accounts: t("admin.verify.accounts", { count: accounts }),
    differences: t("admin.verify.differences", { count: differences.length })
  }
  return (
    <Section
      title={t("admin.verify")}
      text={t("admin.verify.text")}
      tools={
        isRunning ? (
          <Button variant="default" onClick={stop}>
            {t("admin.verify.stop")}
          </Button>
        ) : (
          <Button variant="default" onClick={() => void start()}>
            {t("admin.verify.start")}
          </Button>
        )
      }
    >
      <LastRun />
      <p role="status">{status !== "never" && t(`admin.verify.${status}`, counts)}</p>
      {status === "failed" && <ProblemNotice error={error} onRetry={() => void start()} />}
      {differences.length > 0 && (
        <Table
          label={t("admin.verify")}
          rows={differences.slice(0, SHOWN)}
          keyOf={({ invariant, userId }) => `${userId} ${invariant}`}
          columns={columns}
          none=""
        />
      )}
    </Section>
  )
}

/** The last verification by the background work, which compares all accounts each day. */
const LastRun = () => {
  const { t, moment } = useAdminMessages()
  const { data: money } = useQuery(moneyQuery)
  if (money === undefined) return null
  if (money.verification === null) return <p>{t("admin.verify.never")}</p>
  const { differences: count, endedAt } = money.verification
  return (
    <p className={count > 0 ? classes.bad : undefined}>
      {t("admin.verify.last", {
        moment: moment(endedAt),
        differences: t("admin.verify.differences", { count })
      })}
    </p>
  )
}

const useColumns = (): ReadonlyArray<Column<AccountDifference>> => {
  const { t, number } = useAdminMessages()
  return [
    {
      name: t("admin.person"),
      isLong: true,
      cell: ({ userId }) => (userId === "*" ? t("admin.verify.all") : <Link to={personPath(userId)}>{userId}</Link>)
    },
    { name: t("admin.verify.what"), cell: ({ invariant }) => invariant },
    { name: t("admin.verify.expected"), isNumber: true, cell: ({ expected }) => number(expected) },
    { name: t("admin.verify.found"), isNumber: true, cell: ({ found }) => number(found) }
  ]
}
