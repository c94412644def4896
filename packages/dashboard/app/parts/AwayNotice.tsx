import { useSyncExternalStore } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./AwayNotice.module.css"
import { isServerAway, onServerAway } from "./serverAway.ts"

/** Shown while a part of the page cannot be loaded, until the server answers again. */
export const AwayNotice = () => {
  const { t } = useMessages()
  const isAway = useSyncExternalStore(onServerAway, isServerAway)
  return <div role="status">{isAway && <p className={classes.notice}>{t("app.away")}</p>}</div>
}
