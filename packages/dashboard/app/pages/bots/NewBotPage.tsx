import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { botQuery, botsQuery } from "../../api/bots.ts"
import { parley } from "../../api/parley.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Page } from "../../shell/Page.tsx"
import { newBotDraft, settingsOf } from "./editor/botDraft.ts"
import { BotForm } from "./editor/BotForm.tsx"
import classes from "./BotPage.module.css"
import { botPath } from "./botPath.ts"
import { useBotDraft } from "./editor/useBotDraft.ts"
import { WidgetPreview } from "./widget/WidgetPreview.tsx"

/** The form of a new bot, beside its widget. Saving it opens the bot's page. */
export const NewBotPage = () => {
  const { t } = useMessages()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { draft, change, discard } = useBotDraft(newBotDraft(t("bots.welcome.default")), undefined)
  const creating = useMutation({
    mutationFn: () => parley.bots.create(settingsOf(draft)),
    onSuccess: (bot) => {
      client.setQueryData(botQuery(bot.id).queryKey, bot)
      void client.invalidateQueries({ queryKey: botsQuery.queryKey, exact: true })
      discard()
      void navigate(botPath(bot.id), { replace: true })
    }
  })
  return (
    <Page
      title={t("bots.new")}
      lead={
        <Link className={classes.back} to={PAGE_PATHS.bots}>
          {t("bots.back")}
        </Link>
      }
    >
      <div className={classes.editor}>
        <BotForm
          draft={draft}
          onChange={(next) => {
            creating.reset()
            change(next)
          }}
          problem={creating.error}
          isBusy={creating.isPending}
          action={t("bots.create")}
          onSubmit={() => creating.mutate()}
        />
        <div className={classes.aside}>
          <WidgetPreview draft={draft} publicKey={undefined} />
        </div>
      </div>
    </Page>
  )
}
