import type { ReactNode } from "react"
import { NavLink } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { useAdminMessages } from "./useAdminMessages.ts"
import { Page } from "../../shell/Page.tsx"
import classes from "./Admin.module.css"

const PARTS = [
  [PAGE_PATHS.adminPeople, "admin.people"],
  [PAGE_PATHS.adminMoney, "admin.money"],
  [PAGE_PATHS.adminDocuments, "admin.documents"],
  [PAGE_PATHS.adminHealth, "admin.health"],
  [PAGE_PATHS.adminAudit, "admin.audit"]
] as const

export interface AdminFrameProps {
  readonly title: string
  readonly lead: ReactNode
  readonly children: ReactNode
}

/** The frame of all administration pages, with links between them. */
export const AdminFrame = ({ title, lead, children }: AdminFrameProps) => {
  const { t } = useAdminMessages()
  return (
    <Page title={title} lead={lead}>
      <nav className={classes.parts} aria-label={t("nav.admin")}>
        {PARTS.map(([path, label]) => (
          <NavLink key={path} to={path}>
            {t(label)}
          </NavLink>
        ))}
      </nav>
      <div className={classes.sections}>{children}</div>
    </Page>
  )
}
