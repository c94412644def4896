import { useQuery } from "@tanstack/react-query"
import { Navigate, useLocation, useParams } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { meQuery } from "../../api/session.ts"
import { NotFoundPage } from "../NotFoundPage.tsx"
import { AuditPage } from "./audit/AuditPage.tsx"
import { ReindexingPage } from "./documents/ReindexingPage.tsx"
import { HealthPage } from "./health/HealthPage.tsx"
import { MoneyPage } from "./money/MoneyPage.tsx"
import { PeoplePage } from "./people/PeoplePage.tsx"
import { PersonPage } from "./people/PersonPage.tsx"

/**
 * The administration pages, for operators only. Other people see an unknown page, and the server refuses them all of
 * its data.
 */
export const AdminPage = () => {
  const { data: me } = useQuery(meQuery)
  const { userId } = useParams()
  const { pathname } = useLocation()
  if (me?.role === undefined) return <NotFoundPage />
  if (userId !== undefined) return <PersonPage key={userId} userId={userId} mayAct={me.role === "owner"} />
  switch (pathname) {
    case PAGE_PATHS.adminPeople:
      return <PeoplePage />
    case PAGE_PATHS.adminMoney:
      return <MoneyPage />
    case PAGE_PATHS.adminDocuments:
      return <ReindexingPage mayAct={me.role === "owner"} />
    case PAGE_PATHS.adminHealth:
      return <HealthPage />
    case PAGE_PATHS.adminAudit:
      return <AuditPage />
    default:
      return <Navigate replace to={PAGE_PATHS.adminPeople} />
  }
}
