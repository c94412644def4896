import type { ChatShare } from "@parley/client"
import { Button, Group, Modal, Text, TextInput } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { chatQuery } from "../api/chats.ts"
import { parley } from "../api/parley.ts"
import { Loading } from "../shell/Loading.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { useSharingMessages } from "./useSharingMessages.ts"

export interface ShareDialogProps {
  readonly chatId: string
  /** The last shown message of the chat, whose branch is shared; undefined if the page does not show the chat. */
  readonly leaf: string | undefined
  readonly onClose: () => void
}

/** The dialog that shares a chat by a link, and that ends the sharing. */
export const ShareDialog = ({ chatId, leaf, onClose }: ShareDialogProps) => {
  const { t } = useSharingMessages()
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ["share", chatId],
    queryFn: ({ signal }) => parley.chat.get(chatId, { limit: 1 }, { signal }),
    gcTime: 0
  })
  const [changed, setChanged] = useState<ChatShare | null>()
  const path = { id: chatId }
  const keep = (share: ChatShare | null) => {
    setChanged(share)
    void queryClient.invalidateQueries({ queryKey: chatQuery(chatId).queryKey })
  }
  const share = useMutation({
    mutationFn: () => parley.call("shareChat", { path, body: leaf === undefined ? {} : { leaf } }),
    onSuccess: keep
  })
  const end = useMutation({
    mutationFn: () => parley.call("unshareChat", { path }),
    onSuccess: () => {
      keep(null)
      share.reset()
    }
  })
  const current = changed === undefined ? data?.share : changed
  const problem = share.error ?? end.error ?? error
  return (
    <Modal opened onClose={onClose} title={t("share.title")} closeButtonProps={{ "aria-label": t("action.close") }}>
      {problem !== null && <ProblemNotice error={problem} onRetry={() => void refetch()} />}
      {current === undefined && problem === null && <Loading />}
      {current === null && (
        <>
          <Text size="sm" mb="md">
            {t("share.text")}
          </Text>
          <Group justify="flex-end">
            <Button loading={share.isPending} onClick={() => share.mutate()} data-autofocus>
              {t("share.create")}
            </Button>
          </Group>
        </>
      )}
      {current != null && (
        <>
          <Link share={current} isRenewed={share.isSuccess && data?.share != null} />
          <Group justify="flex-end" gap="xs" mt="md">
            <Button variant="default" c="var(--danger)" loading={end.isPending} onClick={() => end.mutate()}>
              {t("share.end")}
            </Button>
            <Button variant="default" loading={share.isPending} onClick={() => share.mutate()}>
              {t("share.renew")}
            </Button>
          </Group>
        </>
      )}
    </Modal>
  )
}

/** The link of a shared chat, with a copy button. */
const Link = ({ share: { id, sharedAt }, isRenewed }: { readonly share: ChatShare; readonly isRenewed: boolean }) => {
  const { t, day } = useSharingMessages()
  const [isCopied, setCopied] = useState(false)
  const address = `${location.origin}/shared/${id}`
  return (
    <>
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          style={{ flex: 1 }}
          label={t("share.link")}
          readOnly
          value={address}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          onClick={() =>
            void navigator.clipboard.writeText(address).then(
              () => setCopied(true),
              () => undefined
            )
          }
        >
          {t("share.copy")}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {isCopied ? t("share.copied") : isRenewed ? t("share.renewed") : t("share.shared", { date: day(sharedAt) })}
      </Text>
    </>
  )
}
