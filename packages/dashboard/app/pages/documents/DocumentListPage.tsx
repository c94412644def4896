import type { Document, Me } from "@parley/client"
import { Button } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { load } from "../../api/parley.ts"
import { meQuery } from "../../api/session.ts"
import { UploadButton } from "../../chat/composer/UploadButton.tsx"
import { acceptedWords } from "../../documents/documentWords.ts"
import { sizeOfTotal } from "../../documents/quotaWords.ts"
import { useUploads } from "../../documents/UploadQueue.ts"
import { type Messages, useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./DocumentListPage.module.css"
import { DocumentList } from "./DocumentList.tsx"
import { DropArea } from "../../documents/DropArea.tsx"
import { ReindexNotice } from "./ReindexNotice.tsx"
import { UploadList } from "./UploadList.tsx"

const SAMPLE = "sample-lease.md"

/** The page on which a person adds, finds and deletes documents. */
export const DocumentListPage = () => {
  const { data: me } = useQuery(meQuery)
  return me == null ? <Loading /> : <Documents me={me} />
}

const Documents = ({ me }: { readonly me: Me }) => {
  const messages = useMessages()
  const { t } = messages
  const { documents, error, reload } = useDocuments()
  const { queue, uploads } = useUploads(me.userId)
  const [problem, setProblem] = useState<unknown>()
  const upload = (files: ReadonlyArray<File>) => queue.add(files, me.uploads)
  const addSample = async () => {
    try {
      const text = await (await load(`/${SAMPLE}`)).text()
      upload([new File([text], SAMPLE, { type: "text/markdown" })])
    } catch (failure) {
      setProblem(failure)
    }
  }
  const isEmpty = documents?.length === 0 && uploads.length === 0
  return (
    <DropArea onFiles={upload}>
      <Page
        title={t("nav.documents")}
        lead={documents === undefined ? " " : quotaWords(documents, me, messages)}
        actions={
          <UploadButton
            onFiles={upload}
            render={(choose) => (
              <Button leftSection={<Icon name="upload" size={16} />} onClick={choose}>
                {t("documents.upload")}
              </Button>
            )}
          />
        }
      >
        <div className={classes.parts}>
          {problem !== undefined && <ProblemNotice error={problem} onDismiss={() => setProblem(undefined)} />}
          <Suspense fallback={null}>{!isEmpty && <ReindexNotice />}</Suspense>
          <UploadList queue={queue} uploads={uploads} limits={me.uploads} />
          {documents === undefined ? (
            error === undefined ? (
              <Loading />
            ) : (
              <ProblemNotice error={error} onRetry={reload} />
            )
          ) : isEmpty ? (
            <Empty me={me} onSample={() => void addSample()} />
          ) : (
            documents.length > 0 && <DocumentList documents={documents} />
          )}
          {!isEmpty && <p className={classes.accepts}>{acceptedWords(me.uploads, messages)}</p>}
        </div>
      </Page>
    </DropArea>
  )
}

/** The used part of the plan's quota, in documents and in bytes. Failed documents do not count. */
const quotaWords = (all: ReadonlyArray<Document>, { tier: { quotas } }: Me, messages: Messages): string => {
  const { t } = messages
  const documents = all.filter(({ status }) => status !== "failed")
  const used = documents.reduce((sum, { bytes }) => sum + bytes, 0)
  const isFull = documents.length >= quotas.maxDocuments || used >= quotas.maxDocumentBytes
  const words = t("documents.quota", {
    documents: t("documents.quota.documents", { used: documents.length, count: quotas.maxDocuments }),
    size: sizeOfTotal(used, quotas.maxDocumentBytes, messages)
  })
  return isFull ? `${words}. ${t("documents.quota.full")}` : words
}

interface EmptyProps {
  readonly me: Me
  readonly onSample: () => void
}

/** Shown while the person has no documents: explains the next step. */
const Empty = ({ me, onSample }: EmptyProps) => {
  const messages = useMessages()
  const { t } = messages
  return (
    <section className={classes.empty} aria-label={t("documents.empty")}>
      <span className={classes.emptyIcon}>
        <Icon name="file" size={26} />
      </span>
      <h2>{t("documents.empty")}</h2>
      <p>{t("documents.empty.text")}</p>
      <Button variant="default" onClick={onSample}>
        {t("documents.empty.sample")}
      </Button>
      <p className={classes.accepts}>{acceptedWords(me.uploads, messages)}</p>
    </section>
  )
}
