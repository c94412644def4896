import { Button, Group, Modal, Text } from "@mantine/core"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { ProblemNotice } from "./ProblemNotice.tsx"

export interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  /** The label of the confirming button. */
  readonly action: string
  readonly isBusy: boolean
  readonly problem?: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export const ConfirmDialog = ({ title, text, action, isBusy, problem, onConfirm, onClose }: ConfirmDialogProps) => {
  const { t } = useMessages()
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t("action.close") }}>
      <Text size="sm" mb="md">
        {text}
      </Text>
      {problem !== undefined && <ProblemNotice error={problem} />}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t("action.cancel")}
        </Button>
        <Button color="red.8" loading={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Modal>
  )
}
