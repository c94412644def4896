import { Loader } from "@mantine/core"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./Loading.module.css"

/** A loading indicator that appears only after a short delay. */
export const Loading = () => {
  const { t } = useMessages()
  return (
    <div className={classes.place} role="status">
      <Loader type="dots" color="var(--text-quiet)" />
      <span className="visually-hidden">{t("app.loading")}</span>
    </div>
  )
}
