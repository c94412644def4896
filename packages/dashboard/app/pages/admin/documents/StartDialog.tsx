import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { ADMIN } from "../../../api/admin.ts"
import { parley } from "../../../api/parley.ts"
import { FreshSignInNotice } from "../../../shell/FreshSignInNotice.tsx"
import { useAdminMessages } from "../useAdminMessages.ts"

const MAX_REASON = 500

export interface StartDialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks for a reason, and starts to re-index all outdated documents. */
export const StartDialog = ({ onClose, onDone }: StartDialogProps) => {
  const { t } = useAdminMessages()
  const client = useQueryClient()
  const [reason, setReason] = useState("")
  const start = useMutation({
    mutationFn: () => parley.call("reindexService", { body: { reason: reason.trim() } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ADMIN })
      onDone()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() !== "") start.mutate()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("admin.documents.start")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t("admin.documents.start.text")}</Text>
          <TextInput
            label={t("admin.reason")}
            description={t("admin.reason.text")}
            required
            maxLength={MAX_REASON}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          {start.error !== null && <FreshSignInNotice error={start.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={start.isPending} disabled={reason.trim() === ""}>
              {t("admin.documents.start")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
