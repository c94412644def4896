import { useMessages } from "../../messages/MessagesProvider.tsx"
import { refusalSentences } from "../../documents/documentWords.ts"
import type { Upload, UploadLimits, UploadQueue } from "../../documents/UploadQueue.ts"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentListPage.module.css"
import { ProgressBar } from "./ProgressBar.tsx"

export interface UploadListProps {
  readonly queue: UploadQueue
  readonly uploads: ReadonlyArray<Upload>
  readonly limits: UploadLimits
}

/** The files that are being uploaded, and those that were refused. */
export const UploadList = ({ queue, uploads, limits }: UploadListProps) => {
  const { t } = useMessages()
  if (uploads.length === 0) return null
  return (
    <section aria-label={t("documents.uploads")}>
      <ul className={classes.list}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} queue={queue} upload={upload} limits={limits} />
        ))}
      </ul>
    </section>
  )
}

interface UploadRowProps extends Pick<UploadListProps, "queue" | "limits"> {
  readonly upload: Upload
}

const UploadRow = ({ queue, upload, limits }: UploadRowProps) => {
  const messages = useMessages()
  const { t, number, size } = messages
  const { id, bytes, mayRetry, name, part, problem, state } = upload
  const percent = number(part, { style: "percent" })
  const words =
    state === "waiting"
      ? t("documents.upload.waiting")
      : part < 1
        ? t("documents.upload.sending", { percent, size: size(bytes) })
        : t("documents.upload.storing")
  return (
    <li className={classes.row}>
      <span className={classes.icon} data-status={state === "refused" ? "failed" : "processing"}>
        <Icon name={state === "refused" ? "info" : "upload"} />
      </span>
      <div className={classes.words}>
        <span className={classes.name}>{name}</span>
        {state === "refused" ? (
          <span className={classes.reason} role="alert">
            {refusalSentences(problem, limits, messages).join(" ")}
          </span>
        ) : (
          <>
            <span className={classes.about}>{words}</span>
            <ProgressBar label={t("documents.progress", { name })} part={part} />
          </>
        )}
      </div>
      <div className={classes.actions}>
        {mayRetry === true && state === "refused" && (
          <button type="button" className={classes.action} onClick={() => queue.retry(id)}>
            {t("documents.upload.retry")}
          </button>
        )}
        <button
          type="button"
          className={classes.iconAction}
          aria-label={t(state === "refused" ? "documents.upload.dismiss" : "documents.upload.cancel", { name })}
          onClick={() => queue.remove(id)}
        >
          <Icon name="close" />
        </button>
      </div>
    </li>
  )
}
