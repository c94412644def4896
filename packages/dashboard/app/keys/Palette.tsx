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
  /** The person has gone elsewhere. */
  readonly onLeft: () => void
  readonly onShortcuts: () => void
}

/** The most chats that are listed. */
const CHATS = 12

interface Entry {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly excerpt?: ReactNode
  /** Its address; the list of shortcuts has none. */
  readonly to?: string
}

/** The pages whose names have the text, and the chats that have it. */
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

/** Finds a chat or a page by its words, and goes there with Enter. */
export const Palette = ({ onClose, onLeft, onShortcuts }: PaletteProps) => {
  const { t } = useKeyMessages()
  const navigate = useNavigate()
  const id = useId()
  const [search, setSearch] = useState("")
  const [place, setPlace] = useState(0)
  const entries = useEntries(useDeferredValue(search.trim()))
  const at = Math.min(place, entries.length - 1)
  const choose = ({ to }: Entry) => {
    if (to === undefined) return onShortcuts()
    onLeft()
    void navigate(to)
  }
  const move = (event: KeyboardEvent) => {
    const chosen = entries[at]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setPlace((at + step + entries.length) % Math.max(entries.length, 1))
    else if (event.key === "Enter" && chosen !== undefined && !event.nativeEvent.isComposing) choose(chosen)
    else return
    event.preventDefault()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      radius="lg"
      padding={0}
      transitionProps={{ duration: 0 }}
      aria-label={t("keys.search")}
    >
      <input
        className={classes.field}
        role="combobox"
        aria-label={t("keys.field")}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries[at] && `${id}-${entries[at].id}`}
        placeholder={t("keys.field")}
        value={search}
        data-autofocus
        onChange={({ currentTarget: { value } }) => {
          setSearch(value)
          setPlace(0)
        }}
        onKeyDown={move}
      />
      <ul id={id} className={classes.list} role="listbox" aria-label={t("keys.results")}>
        {entries.map((entry, index) => (
          <Option
            key={entry.id}
            id={`${id}-${entry.id}`}
            entry={entry}
            isChosen={index === at}
            onChoose={() => choose(entry)}
          />
        ))}
      </ul>
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
  readonly onChoose: () => void
}

const Option = ({ entry: { excerpt, icon, label }, id, isChosen, onChoose }: OptionProps) => (
  <li
    ref={(element) => {
      if (isChosen) element?.scrollIntoView({ block: "nearest" })
    }}
    id={id}
    className={classes.option}
    role="option"
    aria-selected={isChosen}
    onClick={onChoose}
  >
    <Icon name={icon} />
    <span className={classes.words}>
      <span className={classes.label}>{label}</span>
      {excerpt}
    </span>
  </li>
)
