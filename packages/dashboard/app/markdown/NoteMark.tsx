import { createContext, use } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import classes from "./Markdown.module.css"

/**
 * The prefix of the ids of a text's notes. It is different for each text, because several texts on a page may have
 * notes with the same label.
 */
export const NotesOf = createContext("")

const idOf = (text: string, kind: "note" | "mark", label: string): string => `${kind}-${text}-${label}`

const goTo = (id: string) => {
  const place = document.getElementById(id)
  place?.scrollIntoView({ block: "nearest" })
  place?.focus({ preventScroll: true })
}

/** The mark of a footnote in the text, which is a link to the note. */
export const NoteMark = ({ label }: { readonly label: string }) => {
  const { t } = useMessages()
  const text = use(NotesOf)
  return (
    <sup>
      <button
        type="button"
        id={idOf(text, "mark", label)}
        className={classes.citation}
        aria-label={t("chat.note", { label })}
        onClick={() => goTo(idOf(text, "note", label))}
      >
        {label}
      </button>
    </sup>
  )
}

/** The label before a footnote, which is a link back to its mark. */
export const NoteLabel = ({ label }: { readonly label: string }) => {
  const { t } = useMessages()
  const text = use(NotesOf)
  return (
    <button
      type="button"
      id={idOf(text, "note", label)}
      className={classes.citation}
      aria-label={t("chat.noteBack", { label })}
      onClick={() => goTo(idOf(text, "mark", label))}
    >
      {label}
    </button>
  )
}
