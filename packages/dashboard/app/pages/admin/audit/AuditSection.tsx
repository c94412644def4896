import type { AuditEntry } from "@parley/client"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { auditQuery } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { MoreButton } from "../MoreButton.tsx"
import { personPath } from "../personPath.ts"
import { Section } from "../Section.tsx"
import { type Column, Table } from "../Table.tsx"
import { Waiting } from "../Waiting.tsx"

/** The actions of operators, newest first: those on the person `userId`, or all if it is empty. */
export const AuditSection = ({ userId = "" }: { readonly userId?: string }) => {
  const { t } = useAdminMessages()
  const audit = useInfiniteQuery({ ...auditQuery(userId), placeholderData: (before) => before })
  const columns = useColumns(userId !== "")
  return (
    <Section title={t("admin.audit.title")}>
      {audit.data === undefined ? (
        <Waiting error={audit.error} onRetry={() => void audit.refetch()} />
      ) : (
        <Table
          label={t("admin.audit.title")}
          rows={audit.data.pages.flatMap(({ entries }) => entries)}
          keyOf={({ number }) => number}
          columns={columns}
          none={t("admin.audit.none")}
        />
      )}
      <MoreButton {...audit} />
    </Section>
  )
}

const useColumns = (isOfPerson: boolean): ReadonlyArray<Column<AuditEntry>> => {
  const { t, moment } = useAdminMessages()
  const person: Column<AuditEntry> = {
    name: t("admin.person"),
    isLong: true,
    cell: ({ userId }) => (userId === null ? "–" : <Link to={personPath(userId)}>{userId}</Link>)
  }
  return [
    { name: t("admin.audit.at"), cell: ({ at }) => moment(at) },
    { name: t("admin.audit.by"), cell: ({ by }) => by },
    { name: t("admin.audit.action"), cell: ({ action }) => action },
    ...(isOfPerson ? [] : [person]),
    { name: t("admin.audit.details"), isLong: true, cell: ({ details }) => details },
    { name: t("admin.reason"), isLong: true, cell: ({ reason }) => reason ?? "–" },
    { name: t("admin.audit.address"), cell: ({ address }) => address ?? "–" }
  ]
}
