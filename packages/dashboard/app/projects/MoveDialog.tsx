import { Button, Group, Modal, NativeSelect, Text } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../src/pagePaths.ts"
import { CHATS_KEY, type ChatSummary } from "../api/chats.ts"
import { parley } from "../api/parley.ts"
import { projectsQuery } from "../api/projects.ts"
import { useConversations } from "../chat/ConversationsProvider.tsx"
import { Loading } from "../shell/Loading.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { useProjectMessages } from "./useProjectMessages.ts"

export interface MoveDialogProps {
  readonly chat: ChatSummary
  readonly onClose: () => void
}

/** The dialog that moves a chat into a project or out of its project. */
export const MoveDialog = ({ chat, onClose }: MoveDialogProps) => {
  const { t } = useProjectMessages()
  const { data: projects, error, refetch } = useQuery(projectsQuery)
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("projects.move.title")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {projects === undefined ? (
        error === null && <Loading />
      ) : projects.length === 0 ? (
        <Text size="sm">
          {t("projects.none")}{" "}
          <Link to={PAGE_PATHS.projects} onClick={onClose}>
            {t("projects.new")}
          </Link>
        </Text>
      ) : (
        <Choice chat={chat} onClose={onClose} projects={projects} />
      )}
    </Modal>
  )
}

interface ChoiceProps extends MoveDialogProps {
  readonly projects: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

const Choice = ({ chat, onClose, projects }: ChoiceProps) => {
  const { t } = useProjectMessages()
  const queryClient = useQueryClient()
  const conversations = useConversations()
  const [projectId, setProjectId] = useState(chat.projectId)
  const move = useMutation({
    mutationFn: () => parley.call("updateChat", { path: { id: chat.id }, body: { projectId } }),
    onSuccess: () => {
      conversations.find(chat.id)?.beginIn(projectId)
      onClose()
      return queryClient.invalidateQueries({ queryKey: CHATS_KEY })
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        move.mutate()
      }}
    >
      <NativeSelect
        label={t("projects.move.to")}
        data-autofocus
        value={projectId ?? ""}
        onChange={({ currentTarget: { value } }) => setProjectId(value === "" ? null : value)}
        data={[
          { value: "", label: t("projects.move.none") },
          ...projects.map(({ id, name }) => ({ value: id, label: name }))
        ]}
      />
      {move.error !== null && <ProblemNotice error={move.error} onDismiss={move.reset} />}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" loading={move.isPending} disabled={projectId === chat.projectId}>
          {t("projects.move.action")}
        </Button>
      </Group>
    </form>
  )
}
