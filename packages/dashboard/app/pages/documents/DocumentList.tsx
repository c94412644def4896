import type { Document } from "@parley/client"
import { NativeSelect, TextInput } from "@mantine/core"
import { Suspense, useDeferredValue, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentListPage.module.css"
import { DocumentRow } from "./DocumentRow.tsx"
import { lazyPart } from "../../parts/lazyPart.ts"

const DeleteDialog = lazyPart(async () => (await import("./DeleteDialog.tsx")).DeleteDialog)

/** The number of documents from which on the list can be searched. */
const MANY = 6
/** The number of rows that are drawn at once; a button shows more. */
const ROWS = 100

const FILTERS = ["all", "ready", "processing", "failed"] as const
type Filter = (typeof FILTERS)[number]

/** The documents that match the search and the filter, newest first. */
export const DocumentList = ({ documents }: { readonly documents: ReadonlyArray<Document> }) => {
  const { t } = useMessages()
  const [search, setSearch] = useState("")
  const [filter, setFilter] = useState<Filter>("all")
  const [rows, setRows] = useState(ROWS)
  const [deleting, setDeleting] = useState<Document>()
  const [deleted, setDeleted] = useState<string>()
  const words = useDeferredValue(search).toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const found = documents.filter(
    ({ filename, status }) =>
      (filter === "all" || status === filter) && words.every((word) => filename.toLocaleLowerCase().includes(word))
  )
  const clear = () => {
    setSearch("")
    setFilter("all")
  }
  return (
    <section aria-label={t("documents.list")}>
      {(documents.length >= MANY || search !== "" || filter !== "all") && (
        <ListTools search={search} onSearch={setSearch} filter={filter} onFilter={setFilter} />
      )}
      {found.length === 0 ? (
        <p className={classes.none}>
          {t("documents.noneFound")}{" "}
          <button type="button" className={classes.action} onClick={clear}>
            {t("documents.noneFound.clear")}
          </button>
        </p>
      ) : (
        <ul className={classes.list}>
          {found.slice(0, rows).map((document) => (
            <DocumentRow key={document.id} document={document} onDelete={() => setDeleting(document)} />
          ))}
        </ul>
      )}
      {found.length > rows && (
        <button type="button" className={classes.action} onClick={() => setRows(rows + ROWS)}>
          {t("action.showMore")}
        </button>
      )}
      <span role="status" className="visually-hidden">
        {deleted !== undefined && t("documents.deleted", { name: deleted })}
      </span>
      {deleting !== undefined && (
        <Suspense fallback={null}>
          <DeleteDialog
            document={deleting}
            onClose={() => setDeleting(undefined)}
            onDeleted={() => setDeleted(deleting.filename)}
          />
        </Suspense>
      )}
    </section>
  )
}

interface ListToolsProps {
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
}

/** The search field and the filter. */
const ListTools = ({ search, onSearch, filter, onFilter }: ListToolsProps) => {
  const { t } = useMessages()
  return (
    <search className={classes.tools}>
      <TextInput
        className={classes.search ?? ""}
        type="search"
        aria-label={t("documents.search")}
        placeholder={t("documents.search")}
        leftSection={<Icon name="search" size={16} />}
        value={search}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
      />
      <NativeSelect
        aria-label={t("documents.filter")}
        value={filter}
        onChange={({ currentTarget }) => onFilter(currentTarget.value as Filter)}
        data={FILTERS.map((value) => ({ value, label: t(`documents.filter.${value}`) }))}
      />
    </search>
  )
}
