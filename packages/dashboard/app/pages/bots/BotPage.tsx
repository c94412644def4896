import { useQuery } from "@tanstack/react-query"
import { Link, useLocation, useParams } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { hasStatus } from "../../api/parley.ts"
import { botQuery } from "../../api/bots.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { BotEditor } from "./editor/BotEditor.tsx"
import { BotFrame } from "./editor/BotFrame.tsx"
import classes from "./BotPage.module.css"
import { conversationsPath, installPath, reportPath } from "./botPath.ts"
import { InstallPage } from "./install/InstallPage.tsx"
import { ReportPage } from "./report/ReportPage.tsx"
import { ConversationList } from "./visitors/ConversationList.tsx"
import { ConversationView } from "./visitors/ConversationView.tsx"
import { CrmReturnNotice } from "./crm/CrmReturnNotice.tsx"
import { useCrmReturn } from "./crm/useCrmReturn.ts"

/** The pages of one bot: its settings beside the widget, its installation, its conversations, or one conversation. */
export const BotPage = ({ botId }: { readonly botId: string }) => {
  const { t } = useMessages()
  const { conversationId } = useParams()
  const { pathname } = useLocation()
  const { data: bot, error, refetch } = useQuery(botQuery(botId))
  const { returned, dismiss } = useCrmReturn()
  const notice = <CrmReturnNotice botId={botId} returned={returned} onDismiss={dismiss} />
  if (bot !== undefined) {
    return (
      <BotFrame bot={bot}>
        {notice}
        {conversationId !== undefined ? (
          <ConversationView key={conversationId} bot={bot} conversationId={conversationId} />
        ) : pathname === conversationsPath(botId) ? (
          <ConversationList bot={bot} />
        ) : pathname === reportPath(botId) ? (
          <ReportPage bot={bot} />
        ) : pathname === installPath(botId) ? (
          <InstallPage bot={bot} />
        ) : (
          <BotEditor bot={bot} />
        )}
      </BotFrame>
    )
  }
  const isGone = hasStatus(error, 400, 404)
  return (
    <Page
      title={t("nav.bots")}
      lead={
        <Link className={classes.back} to={PAGE_PATHS.bots}>
          {t("bots.back")}
        </Link>
      }
    >
      {notice}
      {error === null ? (
        <Loading />
      ) : isGone ? (
        <p>{t("problem.bot_not_found")}</p>
      ) : (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
