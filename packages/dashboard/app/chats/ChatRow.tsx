import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { NavLink, useMatch, useNavigate } from "react-router"
import { CHATS_KEY, type ChatSummary, deleteChat, renameChat } from "../api/chats.ts"
import { useConversations } from "../chat/ConversationsProvider.tsx"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { MenuButton } from "../shell/menu/MenuButton.tsx"
import { Icon } from "../theme/Icon.tsx"
import classes from "./ChatList.module.css"
import { exportChat } from "./exportChat.ts"
import { lazyPart } from "../parts/lazyPart.ts"

const ConfirmDialog = lazyPart(async () => (await import("../shell/ConfirmDialog.tsx")).ConfirmDialog)

export interface ChatRowProps {
  readonly chat: ChatSummary
  readonly onChoose: () => void
}

/** A chat in the list: opened, renamed, exported, deleted. */
export const ChatRow = ({ chat, onChoose }: ChatRowProps) => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const conversations = useConversations()
  const navigate = useNavigate()
  const isOpen = useMatch("/chats/:chatId")?.params.chatId === chat.id
  const [newTitle, setNewTitle] = useState<string>()
  const [isDeleting, setDeleting] = useState(false)
  const title = chat.title.trim() === "" ? t("chat.untitled") : chat.title
  const refresh = () => queryClient.invalidateQueries({ queryKey: CHATS_KEY })
  const rename = useMutation({
    mutationFn: (name: string) => renameChat(chat.id, name),
    onSuccess: (_, name) => {
      conversations.find(chat.id)?.rename(name)
      return refresh()
    }
  })
  const remove = useMutation({
    mutationFn: () => deleteChat(chat.id),
    onSuccess: () => {
      setDeleting(false)
      conversations.forget(chat.id)
      if (isOpen) void navigate("/")
      return refresh()
    }
  })
  const finishRename = () => {
    const name = newTitle?.trim() ?? ""
    setNewTitle(undefined)
    if (name !== "" && name !== chat.title) rename.mutate(name)
  }
  if (newTitle !== undefined) {
    return (
      <li className={classes.row}>
        <input
          className={classes.rename}
          aria-label={t("chats.renameField")}
          maxLength={200}
          value={newTitle}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setNewTitle(event.currentTarget.value)}
          onBlur={finishRename}
          onKeyDown={(event) => {
            if (event.key === "Enter") finishRename()
            if (event.key !== "Escape") return
            event.stopPropagation()
            setNewTitle(undefined)
          }}
        />
      </li>
    )
  }
  return (
    <li className={classes.row}>
      <NavLink to={`/chats/${chat.id}`} className={classes.link ?? ""} title={title} onClick={onChoose}>
        {rename.isPending ? rename.variables : title}
      </NavLink>
      <MenuButton
        className={classes.menu}
        label={t("chats.menu", { title })}
        entries={[
          { label: t("chats.rename"), icon: "edit", onSelect: () => setNewTitle(title) },
          {
            label: t("chats.exportMarkdown"),
            icon: "download",
            onSelect: () => void exportChat(chat, "markdown", t)
          },
          { label: t("chats.exportJson"), icon: "download", onSelect: () => void exportChat(chat, "json", t) },
          { label: t("chats.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }
        ]}
      >
        <Icon name="dots" size={16} />
      </MenuButton>
      {isDeleting && (
        <Suspense fallback={null}>
          <ConfirmDialog
            title={t("chats.deleteTitle")}
            text={t("chats.deleteText", { title })}
            action={t("action.delete")}
            isBusy={remove.isPending}
            problem={remove.error ?? undefined}
            onConfirm={() => remove.mutate()}
            onClose={() => setDeleting(false)}
          />
        </Suspense>
      )}
    </li>
  )
}
