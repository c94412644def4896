import { Navigate, useLocation, useParams } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { BotListPage } from "./BotListPage.tsx"
import { BotPage } from "./BotPage.tsx"
import { botPath } from "./botPath.ts"
import { NewBotPage } from "./NewBotPage.tsx"

/** The person's bots, a new one, or the one that the address names. */
export const BotsPage = () => {
  const { botId } = useParams()
  const { pathname } = useLocation()
  if (botId !== undefined) return <BotPage key={botId} botId={botId} />
  return pathname === PAGE_PATHS.newBot ? <NewBotPage /> : <BotListPage />
}

/** Others lead to a bot under an address of their own: there its page is found, too. */
export const FoundBotPage = () => {
  const { botId = "" } = useParams()
  const { search } = useLocation()
  return <Navigate replace to={`${botPath(botId)}${search}`} />
}
