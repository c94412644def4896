import { Button, Group, Modal, Textarea } from "@mantine/core"
import { useState } from "react"
import { useSharingMessages } from "./useSharingMessages.ts"

const MOST_CHARACTERS = 2_000

export interface RatingDialogProps {
  readonly onSend: (comment: string) => void
  readonly onClose: () => void
}

/** Asks why a reply was bad. The rating itself is already stored. */
export const RatingDialog = ({ onSend, onClose }: RatingDialogProps) => {
  const { t } = useSharingMessages()
  const [comment, setComment] = useState("")
  return (
    <Modal opened onClose={onClose} title={t("rating.title")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSend(comment.trim())
        }}
      >
        <Textarea
          label={t("rating.comment")}
          description={t("rating.text")}
          rows={4}
          maxLength={MOST_CHARACTERS}
          value={comment}
          data-autofocus
          onChange={({ currentTarget: { value } }) => setComment(value)}
        />
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            {t("rating.skip")}
          </Button>
          <Button type="submit" disabled={comment.trim() === ""}>
            {t("rating.send")}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
