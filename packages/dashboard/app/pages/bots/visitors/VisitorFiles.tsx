import { Title } from "@mantine/core"
import type { ConversationWithMessages } from "@parley/client"
import { parley } from "../../../api/parley.ts"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"
import classes from "./ConversationView.module.css"

/** The files that a visitor attached to a conversation, each with a download link. */
export const VisitorFiles = ({ files }: Pick<ConversationWithMessages, "files">) => {
  const { t, size } = useWidgetMessages()
  if (files.length === 0) return null
  return (
    <section className={classes.files} aria-label={t("widget.files")}>
      <Title order={3} size="h5">
        {t("widget.files")}
      </Title>
      <ul>
        {files.map(({ bytes, filename, id, status }) => (
          <li key={id}>
            <a href={parley.documents.fileUrl(id)} download={filename}>
              {filename}
            </a>{" "}
            <span>{[size(bytes), ...(status === "ready" ? [] : [t(`widget.files.${status}`)])].join(" · ")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
