import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { NavLink, useMatch, useNavigate } from "react-router"
import { CHATS_KEY, type ChatSummary } from "../api/chats.ts"
import { parley } from "../api/parley.ts"
import { addressOf } from "../chat/transcript/foundMessage.ts"
import { useConversations } from "../chat/ConversationsProvider.tsx"
import { type Messages, useMessages } from "../messages/MessagesProvider.tsx"
import { MenuButton } from "../shell/menu/MenuButton.tsx"
import type { MenuEntry } from "../shell/menu/MenuEntry.ts"
import { Icon } from "../theme/Icon.tsx"
import classes from "./ChatList.module.css"
import { FoundExcerpt } from "./FoundExcerpt.tsx"
import { exportChat } from "./exportChat.ts"
import { lazyPart } from "../parts/lazyPart.ts"

const ShareDialog = lazyPart(async () => (await import("../sharing/ShareDialog.tsx")).ShareDialog)
const MoveDialog = lazyPart(async () => (await import("../projects/MoveDialog.tsx")).MoveDialog)
const ConfirmDialog = lazyPart(async () => (await import("../shell/ConfirmDialog.tsx")).ConfirmDialog)

export interface ChatRowProps {
  readonly chat: ChatSummary
  /** The searched words; empty without a search. */
  readonly searched: string
  readonly onChoose: () => void
}

/**
 * A chat in the list, with the place where a search found its words. A person can open, rename, export and delete it.
 */
export const ChatRow = ({ chat, searched, onChoose }: ChatRowProps) => {
  const { t } = useMessages()
  const navigate = useNavigate()
  const isOpen = useMatch("/chats/:chatId")?.params.chatId === chat.id
  const [newTitle, setNewTitle] = useState<string>()
  const [isDeleting, setDeleting] = useState(false)
  const [isSharing, setSharing] = useState(false)
  const [isMoving, setMoving] = useState(false)
  const title = chat.title.trim() === "" ? t("chat.untitled") : chat.title
  const { rename, remove } = useChatChanges(chat, () => {
    setDeleting(false)
    if (isOpen) void navigate("/")
  })
  const finishRename = () => {
    const name = newTitle?.trim() ?? ""
    setNewTitle(undefined)
    if (name !== "" && name !== chat.title) rename.mutate(name)
  }
  if (newTitle !== undefined) {
    return (
      <li className={classes.row}>
        <TitleField
          value={newTitle}
          onChange={setNewTitle}
          onDone={finishRename}
          onCancel={() => setNewTitle(undefined)}
        />
      </li>
    )
  }
  return (
    <li className={classes.row}>
      <NavLink to={addressOf(chat, searched)} className={classes.link ?? ""} title={title} onClick={onChoose}>
        {rename.isPending ? rename.variables : title}
        {chat.found !== undefined && <FoundExcerpt {...chat.found} />}
      </NavLink>
      <MenuButton
        className={classes.menu}
        label={t("chats.menu", { title })}
        entries={entriesOf(chat, t, {
          onRename: () => setNewTitle(title),
          onShare: () => setSharing(true),
          onMove: () => setMoving(true),
          onDelete: () => setDeleting(true)
        })}
      >
        <Icon name="dots" size={16} />
      </MenuButton>
      {isSharing && <SharedBranch chatId={chat.id} onClose={() => setSharing(false)} />}
      {isMoving && (
        <Suspense fallback={null}>
          <MoveDialog chat={chat} onClose={() => setMoving(false)} />
        </Suspense>
      )}
      {isDeleting && <DeleteDialog title={title} remove={remove} onClose={() => setDeleting(false)} />}
    </li>
  )
}

interface DeleteDialogProps {
  readonly title: string
  readonly remove: ReturnType<typeof useChatChanges>["remove"]
  readonly onClose: () => void
}

const DeleteDialog = ({ title, remove, onClose }: DeleteDialogProps) => {
  const { t } = useMessages()
  return (
    <Suspense fallback={null}>
      <ConfirmDialog
        title={t("chats.deleteTitle")}
        text={t("chats.deleteText", { title })}
        action={t("action.delete")}
        isBusy={remove.isPending}
        problem={remove.error ?? undefined}
        onConfirm={() => remove.mutate()}
        onClose={onClose}
      />
    </Suspense>
  )
}

interface SharedBranchProps {
  readonly chatId: string
  readonly onClose: () => void
}

/** The dialog that shares the branch in view, or the newest branch if the chat is not in view. */
const SharedBranch = ({ chatId, onClose }: SharedBranchProps) => {
  const shown = useConversations().find(chatId)?.chat.messages
  const leaf = shown?.findLast(({ metadata }) => metadata?.storedId !== undefined)?.metadata?.storedId
  return (
    <Suspense fallback={null}>
      <ShareDialog chatId={chatId} leaf={leaf} onClose={onClose} />
    </Suspense>
  )
}

interface ChatActions {
  readonly onRename: () => void
  readonly onShare: () => void
  readonly onMove: () => void
  readonly onDelete: () => void
}

const entriesOf = (
  chat: ChatSummary,
  t: Messages["t"],
  { onRename, onShare, onMove, onDelete }: ChatActions
): ReadonlyArray<MenuEntry> => [
  { label: t("chats.rename"), icon: "edit", onSelect: onRename },
  { label: t("chats.share"), icon: "share", onSelect: onShare },
  { label: t("chats.move"), icon: "folder", onSelect: onMove },
  {
    label: t("chats.exportMarkdown"),
    icon: "download",
    onSelect: () => void exportChat(chat, "markdown", t)
  },
  { label: t("chats.exportJson"), icon: "download", onSelect: () => void exportChat(chat, "json", t) },
  { label: t("chats.delete"), icon: "trash", isDangerous: true, onSelect: onDelete }
]

/** Renames and deletes a chat. */
const useChatChanges = (chat: ChatSummary, onDeleted: () => void) => {
  const queryClient = useQueryClient()
  const conversations = useConversations()
  const refresh = () => queryClient.invalidateQueries({ queryKey: CHATS_KEY })
  const rename = useMutation({
    mutationFn: (name: string) => parley.chat.rename(chat.id, name),
    onSuccess: (_, name) => {
      conversations.find(chat.id)?.rename(name)
      return refresh()
    }
  })
  const remove = useMutation({
    mutationFn: () => parley.chat.delete(chat.id),
    onSuccess: () => {
      conversations.forget(chat.id)
      onDeleted()
      return refresh()
    }
  })
  return { rename, remove }
}

interface TitleFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onDone: () => void
  readonly onCancel: () => void
}

const TitleField = ({ value, onChange, onDone, onCancel }: TitleFieldProps) => {
  const { t } = useMessages()
  return (
    <input
      className={classes.rename}
      aria-label={t("chats.renameField")}
      maxLength={200}
      value={value}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={onDone}
      onKeyDown={(event) => {
        if (event.key === "Enter") onDone()
        if (event.key !== "Escape") return
        event.stopPropagation()
        onCancel()
      }}
    />
  )
}
