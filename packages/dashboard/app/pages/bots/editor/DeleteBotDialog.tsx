import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type Bot, botsQuery, deleteBot } from "../../../api/bots.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../../shell/ConfirmDialog.tsx"

export interface DeleteBotDialogProps {
  readonly bot: Bot
  readonly onClose: () => void
  /** It is deleted. */
  readonly onDeleted?: () => void
}

/** Asks before a bot is deleted with all its conversations. */
export const DeleteBotDialog = ({ bot, onClose, onDeleted }: DeleteBotDialogProps) => {
  const { t } = useMessages()
  const client = useQueryClient()
  const deleting = useMutation({
    mutationFn: () => deleteBot(bot.id),
    onSuccess: async () => {
      onDeleted?.()
      await client.invalidateQueries({ queryKey: botsQuery.queryKey, exact: true })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      title={t("bots.delete.title", { name: bot.displayName })}
      text={t("bots.delete.text")}
      action={t("bots.delete")}
      isBusy={deleting.isPending}
      problem={deleting.error ?? undefined}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    />
  )
}
