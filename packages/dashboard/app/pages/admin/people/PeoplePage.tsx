import type { PersonSummary } from "@parley/client"
import { Checkbox, TextInput } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { Link } from "react-router"
import { peopleQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "../Admin.module.css"
import { AdminFrame } from "../AdminFrame.tsx"
import { MoreButton } from "../MoreButton.tsx"
import { personPath } from "../personPath.ts"
import { type Column, Table } from "../Table.tsx"
import { Waiting } from "../Waiting.tsx"

/** The page with all people, in the order of their ids, and a search. */
export const PeoplePage = () => {
  const { t } = useAdminMessages()
  const [search, setSearch] = useState("")
  const [isBlocked, setBlocked] = useState(false)
  const searched = useDeferredValue(search.trim())
  const people = useInfiniteQuery({ ...peopleQuery(searched, isBlocked), placeholderData: (before) => before })
  const columns = useColumns()
  return (
    <AdminFrame title={t("admin.people")} lead={t("admin.people.lead")}>
      <section aria-label={t("admin.people")}>
        <div className={classes.filters}>
          <TextInput
            className={classes.search ?? ""}
            type="search"
            label={t("admin.people.search")}
            description={t("admin.people.search.text")}
            leftSection={<Icon name="search" size={16} />}
            maxLength={200}
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <Checkbox
            className={classes.blocked ?? ""}
            label={t("admin.people.blocked")}
            checked={isBlocked}
            onChange={({ currentTarget }) => setBlocked(currentTarget.checked)}
          />
        </div>
        {people.data === undefined ? (
          <Waiting error={people.error} onRetry={() => void people.refetch()} />
        ) : (
          <>
            {people.error !== null && <ProblemNotice error={people.error} onRetry={() => void people.refetch()} />}
            <Table
              label={t("admin.people")}
              rows={people.data.pages.flatMap(({ users }) => users)}
              keyOf={({ userId }) => userId}
              columns={columns}
              none={t("admin.people.none")}
            />
            <MoreButton {...people} />
          </>
        )}
      </section>
    </AdminFrame>
  )
}

const useColumns = (): ReadonlyArray<Column<PersonSummary>> => {
  const { t, moment, number } = useAdminMessages()
  return [
    { name: t("admin.person"), isLong: true, cell: ({ userId }) => <Link to={personPath(userId)}>{userId}</Link> },
    { name: t("admin.tier"), cell: ({ tier }) => tier ?? t("admin.noAccount") },
    {
      name: t("admin.available"),
      isNumber: true,
      cell: ({ available }) => (available === null ? "–" : number(available))
    },
    {
      name: t("admin.access"),
      cell: ({ blockedAt }) =>
        blockedAt === null ? (
          t("admin.access.open")
        ) : (
          <span className={classes.bad}>{t("admin.access.blocked", { moment: moment(blockedAt) })}</span>
        )
    }
  ]
}
