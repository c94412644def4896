import { Checkbox, Input, TextInput } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { useState } from "react"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../../../src/pagePaths.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "./BotForm.module.css"

/** The number of documents from which on the field has a search. */
const SEARCHED_FROM = 9

export interface DocumentsFieldProps {
  readonly documentIds: ReadonlyArray<string>
  readonly onChange: (documentIds: ReadonlyArray<string>) => void
}

/** The field for the documents from which a bot answers. */
export const DocumentsField = ({ documentIds, onChange }: DocumentsFieldProps) => {
  const { t } = useMessages()
  const { documents = [] } = useDocuments()
  const [search, setSearch] = useState("")
  const usable = documents.filter(({ status }) => status !== "failed")
  const shown = usable.filter(({ filename }) => filename.toLowerCase().includes(search.trim().toLowerCase()))
  const chosen = usable.filter(({ id }) => documentIds.includes(id)).length
  return (
    <fieldset className={classes.group}>
      <legend>{t("bots.documents")}</legend>
      <Input.Description>{t("bots.documents.text")}</Input.Description>
      {usable.length === 0 ? (
        <p className={classes.none}>
          {t("bots.documents.none")} <Link to={PAGE_PATHS.documents}>{t("bots.documents.add")}</Link>
        </p>
      ) : (
        <>
          {usable.length >= SEARCHED_FROM && (
            <TextInput
              aria-label={t("bots.documents.search")}
              placeholder={t("bots.documents.search")}
              leftSection={<Icon name="search" size={16} />}
              value={search}
              onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          )}
          <ul className={classes.documents}>
            {shown.map(({ filename, id }) => (
              <li key={id}>
                <Checkbox
                  label={filename}
                  checked={documentIds.includes(id)}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(checked ? [...documentIds, id] : documentIds.filter((other) => other !== id))
                  }
                />
              </li>
            ))}
          </ul>
          <Input.Description>{t("bots.documents.chosen", { count: chosen })}</Input.Description>
        </>
      )}
    </fieldset>
  )
}
