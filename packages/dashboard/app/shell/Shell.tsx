import { ActionIcon } from "@mantine/core"
import { Suspense, useEffect, useState } from "react"
import { Link, Route, Routes, useLocation } from "react-router"
import { PAGE_PATHS } from "../../src/pagePaths.ts"
import { KeyCommands } from "../keys/KeyCommands.tsx"
import { LowBalanceNotice } from "../lowBalance/LowBalanceNotice.tsx"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { NotFoundPage } from "../pages/NotFoundPage.tsx"
import { AwayNotice } from "../parts/AwayNotice.tsx"
import { PAGES } from "../pages/pages.tsx"
import { Icon } from "../theme/Icon.tsx"
import { brandOf } from "../brand/brandOf.ts"
import { CrashBoundary } from "./CrashBoundary.tsx"
import { Loading } from "./Loading.tsx"
import classes from "./Shell.module.css"
import { usePageTitle } from "./Page.tsx"
import { Sidebar } from "./Sidebar.tsx"

/**
 * The section of an address. All chats are in one section, so that a new chat stays on the page when it gets its
 * address.
 */
const sectionOf = (pathname: string): string => pathname.split("/")[1]?.replace(/^chats$/, "") ?? ""

/** The layout around all pages: the sidebar, which is a drawer on a phone, and the page that the address names. */
export const Shell = () => {
  const { t } = useMessages()
  const { pathname } = useLocation()
  // The address at which the drawer was opened; the drawer closes if the address changes.
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === pathname
  const setOpen = (open: boolean) => setOpenAt(open ? pathname : undefined)
  useEffect(() => {
    if (!isOpen) return
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key === "Escape") setOpenAt(undefined)
    }
    addEventListener("keydown", closeOnEscape)
    return () => removeEventListener("keydown", closeOnEscape)
  }, [isOpen])
  return (
    <div className={classes.shell} data-menu={isOpen ? "open" : "closed"}>
      <a className={classes.skip} href="#content">
        {t("app.skip")}
      </a>
      <section className={classes.bar} aria-label={brandOf().name}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("nav.open")}
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
        >
          <Icon name="menu" />
        </ActionIcon>
        <PageTitle />
        <Link to={PAGE_PATHS.newChat} className={classes.newChat} aria-label={t("nav.newChat")}>
          <Icon name="newChat" />
        </Link>
      </section>
      <div className={classes.sidebar}>
        <Sidebar onClose={() => setOpen(false)} />
      </div>
      <button type="button" className={classes.veil} tabIndex={-1} aria-hidden="true" onClick={() => setOpen(false)} />
      <div className={classes.notice}>
        <AwayNotice />
        <LowBalanceNotice />
      </div>
      <KeyCommands />
      <main id="content" className={classes.content} tabIndex={-1}>
        <CrashBoundary key={sectionOf(pathname)} address={pathname}>
          <Suspense fallback={<Loading />}>
            <Routes>
              {PAGES.flatMap(({ Component, paths }) =>
                paths.map((path) => <Route key={path} path={path} element={<Component />} />)
              )}
              <Route path="*" element={<NotFoundPage />} />
            </Routes>
          </Suspense>
        </CrashBoundary>
      </main>
    </div>
  )
}

/** A separate component, so that a changed title does not render the pages again. */
const PageTitle = () => {
  const title = usePageTitle()
  return <span className={classes.title}>{title === "" ? brandOf().name : title}</span>
}
