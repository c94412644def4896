import type { Document } from "@parley/client"
import { Checkbox, TextInput } from "@mantine/core"
import { useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentChoices.module.css"

/** The number of documents from which on the list has a search field. */
const SEARCHED_FROM = 9

export interface DocumentChoicesProps {
  readonly documents: ReadonlyArray<Document>
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}

/** A list of documents, each with a check box. */
export const DocumentChoices = ({ chosen, documents, onChange }: DocumentChoicesProps) => {
  const { t } = useMessages()
  const [search, setSearch] = useState("")
  const shown = documents.filter(({ filename }) => filename.toLowerCase().includes(search.trim().toLowerCase()))
  return (
    <>
      {documents.length >= SEARCHED_FROM && (
        <TextInput
          aria-label={t("chat.documents.search")}
          placeholder={t("chat.documents.search")}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul className={classes.list}>
        {shown.map((document) => (
          <li key={document.id}>
            <DocumentChoice
              document={document}
              isChosen={chosen.includes(document.id)}
              onToggle={(id, isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

interface DocumentChoiceProps {
  readonly document: Document
  readonly isChosen: boolean
  readonly onToggle: (id: string, isChosen: boolean) => void
}

const DocumentChoice = ({ document, isChosen, onToggle }: DocumentChoiceProps) => {
  const { t, number, size } = useMessages()
  const { id, filename, status, pages, bytes, progress } = document
  const details =
    status === "processing"
      ? t("chat.documents.status.processing", { percent: number(progress, { style: "percent" }) })
      : status === "failed"
        ? t("chat.documents.status.failed")
        : pages === null
          ? size(bytes)
          : `${t("count.pages", { count: pages })}, ${size(bytes)}`
  return (
    <Checkbox
      className={classes.choice ?? ""}
      label={filename}
      description={details}
      checked={isChosen && status !== "failed"}
      disabled={status === "failed"}
      onChange={(event) => onToggle(id, event.currentTarget.checked)}
    />
  )
}
