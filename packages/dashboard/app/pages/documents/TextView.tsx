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
  /** The marks, and the place at which the text is shown first. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** A document's text, some of it at a time. */
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
