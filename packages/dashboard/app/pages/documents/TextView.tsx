import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { joinedText, readOnQuery } from "../../api/documents.ts"
import { ShownText } from "../../documents/ShownText.tsx"
import type { Mark } from "../../documents/textParts.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./DocumentPage.module.css"

export interface TextViewProps {
  readonly documentId: string
  /** The offsets of the marked text, at which the view begins. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** The text of a document. Only a stretch of the text is loaded at a time. */
export const TextView = ({ documentId, from, to }: TextViewProps) => {
  const { t } = useMessages()
  const text = useInfiniteQuery(readOnQuery(documentId, from ?? 0))
  const stretch = joinedText(text.data?.pages ?? [])
  const marks: ReadonlyArray<Mark> =
    from !== undefined && to !== undefined && to > from ? [{ kind: "quote", start: from, end: to }] : []
  return (
    <article className={classes.text} aria-label={t("documents.text")}>
      {text.hasPreviousPage && (
        <Button
          variant="default"
          mb="md"
          loading={text.isFetchingPreviousPage}
          onClick={() => void text.fetchPreviousPage()}
        >
          {t("documents.text.earlier")}
        </Button>
      )}
      {stretch !== undefined && <ShownText stretch={stretch} marks={marks} />}
      {text.error !== null && <ProblemNotice error={text.error} onRetry={() => void text.refetch()} />}
      {stretch === undefined && text.error === null && <Loading />}
      {text.hasNextPage && (
        <Button variant="default" mt="md" loading={text.isFetchingNextPage} onClick={() => void text.fetchNextPage()}>
          {t("documents.text.more")}
        </Button>
      )}
    </article>
  )
}
