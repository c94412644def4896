import type { Bot } from "@parley/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { botsQuery } from "../../../api/bots.ts"
import { parley } from "../../../api/parley.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../../shell/ConfirmDialog.tsx"

export interface DeleteBotDialogProps {
  readonly bot: Bot
  readonly onClose: () => void
  /** Called when the bot is deleted. */
  readonly onDeleted?: () => void
}

/** Asks for confirmation before a bot and all its conversations are deleted. */
export const DeleteBotDialog = ({ bot, onClose, onDeleted }: DeleteBotDialogProps) => {
  const { t } = useMessages()
  const client = useQueryClient()
  const deleting = useMutation({
    mutationFn: () => parley.bots.delete(bot.id),
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
