import type { Document } from "@parley/client"
import { Button, Modal, Text } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { useState } from "react"
import { DocumentChoices } from "../../documents/choice/DocumentChoices.tsx"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import type { Conversation } from "../Conversation.ts"
import classes from "./DocumentsChooser.module.css"
import { UploadButton } from "./UploadButton.tsx"
import { useFacts } from "../useConversation.ts"
import { type Uploading, useUpload } from "./useUpload.ts"

export interface DocumentsChooserProps {
  readonly conversation: Conversation
  readonly onClose: () => void
}

/** The dialog in which a person chooses the chat's documents, one by one, all or none, and adds new ones. */
export const DocumentsChooser = ({ conversation, onClose }: DocumentsChooserProps) => {
  const { t } = useMessages()
  const { documentIds = [] } = useFacts(conversation)
  const { documents = [], error } = useDocuments()
  const [problem, setProblem] = useState<unknown>()
  const { upload, uploads, problem: uploadProblem } = useUpload(conversation)
  const attach = (ids: ReadonlyArray<string>) => {
    setProblem(undefined)
    conversation.choose(ids).catch(setProblem)
  }
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
      {documents.length === 0 && uploads.length === 0 && <p className={classes.empty}>{t("chat.documents.empty")}</p>}
      <DocumentChoices documents={documents} chosen={documentIds} onChange={attach} />
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

const UploadWords = ({ name, part }: { readonly name: string; readonly part: number }) => {
  const { t, number } = useMessages()
  return t("chat.documents.uploading", { name, percent: number(part, { style: "percent" }) })
}
