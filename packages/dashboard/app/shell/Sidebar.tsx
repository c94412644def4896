import { useQuery } from "@tanstack/react-query"
import { NavLink } from "react-router"
import { meQuery } from "../api/session.ts"
import { ChatList } from "../chats/ChatList.tsx"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { PAGES } from "../pages/pages.tsx"
import { Icon } from "../theme/Icon.tsx"
import { Brand } from "../brand/Brand.tsx"
import { AccountMenu } from "./menu/AccountMenu.tsx"
import classes from "./Sidebar.module.css"

export interface SidebarProps {
  readonly onClose: () => void
}

/** The sidebar: a new chat and the list of chats, the other pages, and the signed-in person. */
export const Sidebar = ({ onClose }: SidebarProps) => {
  const { t } = useMessages()
  const { data: me } = useQuery(meQuery)
  const isOperator = me?.role !== undefined
  return (
    <nav className={classes.sidebar} aria-label={t("nav.label")}>
      <Brand />
      <NavLink to="/" end className={classes.link ?? ""} onClick={onClose}>
        <Icon name="newChat" />
        {t("nav.newChat")}
      </NavLink>
      <ChatList onChoose={onClose} />
      <ul className={classes.pages}>
        {PAGES.map(
          ({ navigation, paths: [path = "/"] }) =>
            navigation !== undefined &&
            (isOperator || navigation.isForOperators !== true) && (
              <li key={path}>
                <NavLink to={path} className={classes.link ?? ""} onClick={onClose}>
                  <Icon name={navigation.icon} />
                  {t(navigation.label)}
                </NavLink>
              </li>
            )
        )}
      </ul>
      <div className={classes.foot}>
        <AccountMenu />
      </div>
    </nav>
  )
}
