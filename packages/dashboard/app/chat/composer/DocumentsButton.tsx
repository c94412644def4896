import { useDocuments } from "@parley/react"
import { Suspense, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./Composer.module.css"
import type { Conversation } from "../Conversation.ts"
import { DocumentsChooser } from "./documentsChooserPart.ts"
import { useFacts } from "../useConversation.ts"

/** A button that shows the documents of the next question and opens the dialog for choosing them. */
export const DocumentsButton = ({ conversation }: { readonly conversation: Conversation }) => {
  const { t } = useMessages()
  const { documentIds } = useFacts(conversation)
  const { documents } = useDocuments()
  const [isOpen, setOpen] = useState(false)
  const attached =
    documents?.filter(({ id, status }) => status !== "failed" && documentIds?.includes(id) === true) ?? []
  const waiting = attached.filter(({ status }) => status === "processing").length
  const words =
    attached.length === 0
      ? t("chat.documents.none")
      : t("chat.documents.count", { count: attached.length }) +
        (waiting === 0 ? "" : ` (${t("chat.documents.processing", { count: waiting })})`)
  return (
    <>
      <button
        type="button"
        className={`${classes.chip} ${classes.documents}`}
        data-marked={attached.length > 0 ? "" : undefined}
        aria-label={t("chat.documents.choose", { chosen: words })}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="paperclip" />
        <span>{words}</span>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <DocumentsChooser conversation={conversation} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
