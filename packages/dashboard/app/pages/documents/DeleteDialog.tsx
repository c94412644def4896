import { type Document } from "@parley/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { hasStatus, parley } from "../../api/parley.ts"
import { documentsQuery } from "../../api/documents.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../shell/ConfirmDialog.tsx"

export interface DeleteDialogProps {
  readonly document: Pick<Document, "id" | "filename">
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks for confirmation before a document is deleted. */
export const DeleteDialog = ({ document: { id, filename }, onClose, onDeleted }: DeleteDialogProps) => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const deletion = useMutation({
    mutationFn: async () => {
      try {
        await parley.documents.delete(id)
      } catch (error) {
        // 404: another tab has deleted the document meanwhile, which is the wanted result.
        if (!hasStatus(error, 404)) throw error
      }
    },
    onSuccess: () => {
      queryClient.setQueryData(documentsQuery.queryKey, (before) => before?.filter((each) => each.id !== id))
      onDeleted()
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey })
  })
  return (
    <ConfirmDialog
      title={t("documents.deleteTitle")}
      text={t("documents.deleteText", { name: filename })}
      action={t("action.delete")}
      isBusy={deletion.isPending}
      problem={deletion.error ?? undefined}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    />
  )
}
