import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./UploadNotes.module.css"
import type { Uploading } from "./useUpload.ts"

/** The states of the files that are being uploaded to a chat. */
export const UploadNotes = ({ problem, uploads }: Pick<Uploading, "problem" | "uploads">) => {
  const { t, number } = useMessages()
  return (
    <>
      {problem !== undefined && <ProblemNotice error={problem} />}
      {uploads.map(({ name, part }) => (
        <p key={name} className={classes.uploading} role="status">
          {t("chat.documents.uploading", { name, percent: number(part, { style: "percent" }) })}
        </p>
      ))}
    </>
  )
}
