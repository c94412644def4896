import type { Document } from "@parley/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "react-router"
import { documentsQuery } from "../../api/documents.ts"
import { parley } from "../../api/parley.ts"
import { stageWords, typeWords } from "../../documents/documentWords.ts"
import { canRetry, failureSentence } from "../../documents/failure.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { problemSentences } from "../../messages/problemSentences.ts"
import { MenuButton } from "../../shell/menu/MenuButton.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentListPage.module.css"
import { ProgressBar } from "./ProgressBar.tsx"

export interface DocumentRowProps {
  readonly document: Document
  readonly onDelete: () => void
}

/** One document in the list: its facts, its progress and its actions. */
export const DocumentRow = ({ document, onDelete }: DocumentRowProps) => {
  const messages = useMessages()
  const { t } = messages
  const navigate = useNavigate()
  const { id, filename, notice, progress, status } = document
  const entries = [
    { label: t("documents.open"), icon: "file", onSelect: () => void navigate(`/documents/${id}`) },
    { label: t("documents.download"), icon: "download", onSelect: () => location.assign(parley.documents.fileUrl(id)) },
    { label: t("documents.delete"), icon: "trash", isDangerous: true, onSelect: onDelete }
  ] as const
  return (
    <li className={classes.row} data-status={status}>
      <span className={classes.icon} data-status={status}>
        <Icon name={status === "failed" ? "info" : "file"} />
      </span>
      <div className={classes.words}>
        <Link className={classes.name} to={`/documents/${id}`}>
          {filename}
        </Link>
        <span className={classes.about}>{aboutWords(document, messages)}</span>
        {status === "processing" && <ProgressBar label={t("documents.progress", { name: filename })} part={progress} />}
        {notice !== null && <span className={classes.about}>{notice}</span>}
        {status === "failed" && <Failure document={document} />}
      </div>
      <div className={classes.actions}>
        {status === "ready" && (
          <Link
            className={classes.action}
            to={`/?documents=${id}`}
            aria-label={t("documents.chatAbout", { name: filename })}
          >
            {t("documents.chat")}
          </Link>
        )}
        <MenuButton label={t("documents.menu", { name: filename })} className={classes.iconAction} entries={entries}>
          <Icon name="dots" />
        </MenuButton>
      </div>
    </li>
  )
}

/** The type, length, size and age of a document; the progress while it is processed. */
const aboutWords = (document: Document, messages: ReturnType<typeof useMessages>): string => {
  const { t, size, number, moment } = messages
  const { bytes, createdAt, pages, progress, status, type } = document
  const kind = [typeWords(type, messages), ...(pages === null ? [] : [t("count.pages", { count: pages })]), size(bytes)]
  return status === "processing"
    ? [stageWords(document, messages), number(progress, { style: "percent" }), size(bytes)].join(" · ")
    : [...kind, moment(createdAt)].join(" · ")
}

/** The reason of a failure, with a retry button if another try may help. */
const Failure = ({ document }: { readonly document: Document }) => {
  const messages = useMessages()
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => parley.documents.process(document.id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey })
  })
  return (
    <>
      <span className={classes.reason}>{failureSentence(document, messages)}</span>
      {retry.error !== null && (
        <span className={classes.reason} role="alert">
          {problemSentences(retry.error, messages).join(" ")}
        </span>
      )}
      {canRetry(document) && (
        <button type="button" className={classes.action} disabled={retry.isPending} onClick={() => retry.mutate()}>
          {messages.t("documents.retry")}
        </button>
      )}
    </>
  )
}
