import type { Bot } from "@parley/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { botQuery, botsQuery } from "../../../api/bots.ts"
import { parley } from "../../../api/parley.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { draftOf } from "./botDraft.ts"
import { BotForm } from "./BotForm.tsx"
import classes from "../BotPage.module.css"
import { CrmSection } from "../crm/CrmSection.tsx"
import { newestKey } from "../install/newestKey.ts"
import { useBotDraft } from "./useBotDraft.ts"
import { WidgetPreview } from "../widget/WidgetPreview.tsx"

/** The settings of a bot, beside a preview of the widget with these settings. */
export const BotEditor = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useMessages()
  const client = useQueryClient()
  const { draft, changes, change, discard } = useBotDraft(draftOf(bot), bot.id)
  const isChanged = Object.keys(changes).length > 0
  const saving = useMutation({
    mutationFn: () => parley.bots.update(bot.id, changes),
    onSuccess: (saved) => {
      client.setQueryData(botQuery(bot.id).queryKey, saved)
      void client.invalidateQueries({ queryKey: botsQuery.queryKey, exact: true })
      discard()
    }
  })
  return (
    <div className={classes.editor}>
      <BotForm
        draft={draft}
        onChange={(next) => {
          saving.reset()
          change(next)
        }}
        problem={saving.error}
        isBusy={saving.isPending}
        action={t("bots.save")}
        onSubmit={() => saving.mutate()}
        onDiscard={isChanged ? discard : undefined}
        note={isChanged ? t("bots.unsaved") : saving.isSuccess ? t("bots.saved") : undefined}
      />
      <div className={classes.aside}>
        <WidgetPreview draft={draft} publicKey={bot.active ? newestKey(bot) : undefined} />
      </div>
      <CrmSection botId={bot.id} />
    </div>
  )
}
