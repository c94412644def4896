import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Page } from "../../shell/Page.tsx"
import { BalanceSection } from "./BalanceSection.tsx"
import { DaysSection } from "./days/DaysSection.tsx"
import { HistorySection } from "./history/HistorySection.tsx"
import classes from "./UsagePage.module.css"

/** The page with the person's balance, usage and credit history. */
export const UsagePage = () => {
  const { t } = useMessages()
  return (
    <Page title={t("nav.usage")} lead={t("usage.lead")}>
      <div className={classes.sections}>
        <BalanceSection />
        <DaysSection />
        <HistorySection />
      </div>
    </Page>
  )
}
