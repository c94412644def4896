import { useState } from "react"
import { Link, useLocation } from "react-router"
import { billingPath } from "../billing/billingPath.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Icon } from "../theme/Icon.tsx"
import { useLowBalance } from "./lowBalance.ts"
import classes from "./LowBalanceNotice.module.css"

/**
 * Warns on every page that the balance is below the person's threshold. A dismissed warning appears again when the
 * balance falls further.
 */
export const LowBalanceNotice = () => {
  const { t } = useMessages()
  const left = useLowBalance()
  const { pathname } = useLocation()
  const [dismissedAt, setDismissedAt] = useState<number>()
  const isShown = left !== undefined && (dismissedAt === undefined || left < dismissedAt)
  return (
    <div role="status">
      {isShown && (
        <div className={classes.notice}>
          <span>{t("usage.low", { count: left })}</span>
          <Link to={billingPath(pathname)}>{t("billing.getCredits")}</Link>
          <button
            type="button"
            className={classes.close}
            aria-label={t("action.dismiss")}
            onClick={() => setDismissedAt(left)}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
      )}
    </div>
  )
}
