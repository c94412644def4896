import { Navigate, useLocation, useParams } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { BotListPage } from "./BotListPage.tsx"
import { BotPage } from "./BotPage.tsx"
import { botPath } from "./botPath.ts"
import { NewBotPage } from "./NewBotPage.tsx"

/** Shows the list of the person's bots, the form of a new one, or the bot that the address names. */
export const BotsPage = () => {
  const { botId } = useParams()
  const { pathname } = useLocation()
  if (botId !== undefined) return <BotPage key={botId} botId={botId} />
  return pathname === PAGE_PATHS.newBot ? <NewBotPage /> : <BotListPage />
}

/** Other services link to a bot under a separate address. This component redirects from it to the bot's page. */
export const FoundBotPage = () => {
  const { botId = "" } = useParams()
  const { search } = useLocation()
  return <Navigate replace to={`${botPath(botId)}${search}`} />
}
