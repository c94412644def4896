import { ActionIcon, Text } from "@mantine/core"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { PdfPage } from "../../pdf/PdfPage.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentPage.module.css"

export interface PagesViewProps {
  readonly documentId: string
  /** The number of the page, beginning with 1. */
  readonly page: number
  readonly pages: number
  readonly onPage: (page: number) => void
}

/** The pages of a pdf as drawn by its author, one at a time. */
export const PagesView = ({ documentId, page: wanted, pages, onPage }: PagesViewProps) => {
  const { t } = useMessages()
  const page = Math.min(wanted, pages)
  return (
    <div className={classes.pages}>
      <div className={classes.pageBar}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t("documents.page.previous")}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        >
          <Icon name="chevronLeft" />
        </ActionIcon>
        <Text size="sm" aria-live="polite">
          {t("documents.page.of", { page, total: pages })}
        </Text>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t("documents.page.next")}
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
        >
          <Icon name="chevronRight" />
        </ActionIcon>
      </div>
      <PdfPage documentId={documentId} page={page} />
    </div>
  )
}
