import type { Document } from "@parley/client"
import { Button, Checkbox, Modal, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { documentsQuery } from "../../api/documents.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import type { Conversation } from "../Conversation.ts"
import classes from "./DocumentsChooser.module.css"
import { UploadButton } from "./UploadButton.tsx"
import { useFacts } from "../useConversation.ts"
import { type Uploading, useUpload } from "./useUpload.ts"

/** From this number of documents on, there is a search field. */
const SEARCHED_FROM = 9

export interface DocumentsChooserProps {
  readonly conversation: Conversation
  readonly onClose: () => void
}

/** The choice of a chat's documents: each, all or none of them, and new ones. */
export const DocumentsChooser = ({ conversation, onClose }: DocumentsChooserProps) => {
  const { t } = useMessages()
  const { documentIds = [] } = useFacts(conversation)
  const { data: documents = [], error } = useQuery(documentsQuery)
  const [search, setSearch] = useState("")
  const [problem, setProblem] = useState<unknown>()
  const { upload, uploads, problem: uploadProblem } = useUpload(conversation)
  const attach = (ids: ReadonlyArray<string>) => {
    setProblem(undefined)
    conversation.choose(ids).catch(setProblem)
  }
  const toggle = (id: string, isAttached: boolean) =>
    attach(isAttached ? [...documentIds, id] : documentIds.filter((other) => other !== id))
  const shown = documents.filter(({ filename }) => filename.toLowerCase().includes(search.trim().toLowerCase()))
  const wrong = problem ?? uploadProblem ?? error ?? undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("chat.documents.title")}
      size="lg"
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <Text c="dimmed" size="sm">
        {t("chat.documents.lead")}
      </Text>
      <ChooserTools documents={documents} upload={upload} attach={attach} />
      {wrong !== undefined && <ProblemNotice error={wrong} />}
      {uploads.map(({ name, part }) => (
        <p key={name} className={classes.uploading} role="status">
          <UploadWords name={name} part={part} />
        </p>
      ))}
      {documents.length >= SEARCHED_FROM && (
        <TextInput
          aria-label={t("chat.documents.search")}
          placeholder={t("chat.documents.search")}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {documents.length === 0 && uploads.length === 0 && <p className={classes.empty}>{t("chat.documents.empty")}</p>}
      <ul className={classes.list}>
        {shown.map((document) => (
          <li key={document.id}>
            <DocumentChoice document={document} isAttached={documentIds.includes(document.id)} onToggle={toggle} />
          </li>
        ))}
      </ul>
      <div className={classes.foot}>
        <Button onClick={onClose}>{t("chat.documents.done")}</Button>
      </div>
    </Modal>
  )
}

interface ChooserToolsProps {
  readonly documents: ReadonlyArray<Document>
  readonly upload: Uploading["upload"]
  readonly attach: (ids: ReadonlyArray<string>) => void
}

const ChooserTools = ({ documents, upload, attach }: ChooserToolsProps) => {
  const { t } = useMessages()
  return (
    <div className={classes.tools}>
      <UploadButton onFiles={(files) => void upload(files)} />
      <span className={classes.space} />
      <Button
        variant="subtle"
        size="compact-sm"
        disabled={documents.length === 0}
        onClick={() => attach(documents.filter(({ status }) => status !== "failed").map(({ id }) => id))}
      >
        {t("chat.documents.all")}
      </Button>
      <Button variant="subtle" size="compact-sm" disabled={documents.length === 0} onClick={() => attach([])}>
        {t("chat.documents.noneAll")}
      </Button>
    </div>
  )
}

interface DocumentChoiceProps {
  readonly document: Document
  readonly isAttached: boolean
  readonly onToggle: (id: string, isAttached: boolean) => void
}

const DocumentChoice = ({ document, isAttached, onToggle }: DocumentChoiceProps) => {
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
      checked={isAttached && status !== "failed"}
      disabled={status === "failed"}
      onChange={(event) => onToggle(id, event.currentTarget.checked)}
    />
  )
}

const UploadWords = ({ name, part }: { readonly name: string; readonly part: number }) => {
  const { t, number } = useMessages()
  return t("chat.documents.uploading", { name, percent: number(part, { style: "percent" }) })
}
