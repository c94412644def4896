import { Modal } from "@mantine/core"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from "react"
import { useNavigate } from "react-router"
import { chatsQuery } from "../api/chats.ts"
import { meQuery } from "../api/session.ts"
import { FoundExcerpt } from "../chats/FoundExcerpt.tsx"
import { addressOf } from "../chat/transcript/foundMessage.ts"
import { PAGES } from "../pages/pages.tsx"
import { Icon, type IconName } from "../theme/Icon.tsx"
import classes from "./Palette.module.css"
import { useKeyMessages } from "./useKeyMessages.ts"

export interface PaletteProps {
  readonly onClose: () => void
  /** Called when the person has chosen an entry and the page changes. */
  readonly onLeft: () => void
  readonly onShortcuts: () => void
}

/** The largest number of listed chats. */
const CHATS = 12

interface Entry {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly excerpt?: ReactNode
  /** The address of the entry; the entry for the list of shortcuts has none. */
  readonly to?: string
}

/** The pages whose names contain the text, and the chats that contain it. */
const useEntries = (search: string): ReadonlyArray<Entry> => {
  const { t } = useKeyMessages()
  const { data: me } = useQuery(meQuery)
  const { data } = useInfiniteQuery({ ...chatsQuery(search), placeholderData: (before) => before })
  const pages = PAGES.flatMap(({ navigation, paths: [to = "/"] }) =>
    navigation === undefined || (navigation.isForOperators === true && me?.role === undefined)
      ? []
      : [{ id: to, icon: navigation.icon, label: t(navigation.label), to }]
  )
  const commands: ReadonlyArray<Entry> = [
    { id: "new", icon: "newChat", label: t("nav.newChat"), to: "/" },
    ...pages,
    { id: "shortcuts", icon: "info", label: t("keys.title") }
  ]
  const chats = (data?.pages.flatMap((page) => page.chats) ?? []).slice(0, CHATS).map((chat) => ({
    id: chat.id,
    icon: "search" as const,
    label: chat.title === "" ? t("chat.untitled") : chat.title,
    excerpt: chat.found === undefined ? undefined : <FoundExcerpt {...chat.found} />,
    to: addressOf(chat, search)
  }))
  return [...commands.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase())), ...chats]
}

/** The selected entry. The arrow keys move the selection, and Enter opens the entry. */
const useChoice = (entries: ReadonlyArray<Entry>, onTaken: (entry: Entry) => void) => {
  const [place, setPlace] = useState(0)
  const at = Math.min(place, entries.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = entries[at]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setPlace((at + step + entries.length) % Math.max(entries.length, 1))
    else if (event.key === "Enter" && chosen !== undefined && !event.nativeEvent.isComposing) onTaken(chosen)
    else return
    event.preventDefault()
  }
  return { chosen: entries[at], onKeyDown, toFirst: () => setPlace(0) }
}

/** The dialog that finds a chat or a page by words and opens it with Enter. */
export const Palette = ({ onClose, onLeft, onShortcuts }: PaletteProps) => {
  const { t } = useKeyMessages()
  const navigate = useNavigate()
  const id = useId()
  const [search, setSearch] = useState("")
  const entries = useEntries(useDeferredValue(search.trim()))
  const take = ({ to }: Entry) => {
    if (to === undefined) return onShortcuts()
    onLeft()
    void navigate(to)
  }
  const { chosen, onKeyDown, toFirst } = useChoice(entries, take)
  return (
    <Modal opened onClose={onClose} title={t("keys.search")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <input
        className={classes.field}
        role="combobox"
        aria-label={t("keys.field")}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        placeholder={t("keys.field")}
        value={search}
        data-autofocus
        onChange={({ currentTarget: { value } }) => {
          setSearch(value)
          toFirst()
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} className={classes.list} role="listbox" aria-label={t("keys.results")}>
        {entries.map((entry) => (
          <Option
            key={entry.id}
            id={`${id}-${entry.id}`}
            entry={entry}
            isChosen={entry === chosen}
            onTaken={() => take(entry)}
          />
        ))}
      </div>
      <p className={classes.none} role="status">
        {entries.length === 0 && t("keys.none")}
      </p>
    </Modal>
  )
}

interface OptionProps {
  readonly id: string
  readonly entry: Entry
  readonly isChosen: boolean
  readonly onTaken: () => void
}

const Option = ({ entry: { excerpt, icon, label }, id, isChosen, onTaken }: OptionProps) => (
  <button
    ref={(element) => {
      if (isChosen) element?.scrollIntoView({ block: "nearest" })
    }}
    type="button"
    id={id}
    className={classes.option}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    onClick={onTaken}
  >
    <Icon name={icon} />
    <span className={classes.words}>
      <span className={classes.label}>{label}</span>
      {excerpt}
    </span>
  </button>
)
