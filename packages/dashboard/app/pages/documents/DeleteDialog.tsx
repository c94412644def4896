import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ApiProblem } from "../../api/ApiProblem.ts"
import { deleteDocument, documentsQuery, type StoredDocument } from "../../api/documents.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../shell/ConfirmDialog.tsx"

export interface DeleteDialogProps {
  readonly document: Pick<StoredDocument, "id" | "filename">
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks before a document is deleted. */
export const DeleteDialog = ({ document: { id, filename }, onClose, onDeleted }: DeleteDialogProps) => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const deletion = useMutation({
    mutationFn: async () => {
      try {
        await deleteDocument(id)
      } catch (error) {
        // Another tab has deleted it meanwhile, which is the wanted result.
        if (!(error instanceof ApiProblem && error.status === 404)) throw error
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
