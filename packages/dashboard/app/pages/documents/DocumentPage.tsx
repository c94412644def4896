import type { Document } from "@parley/client"
import { Button, SegmentedControl } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { Suspense, useState } from "react"
import { Link, useNavigate, useSearchParams } from "react-router"
import { parley } from "../../api/parley.ts"
import { stageWords, typeWords } from "../../documents/documentWords.ts"
import { failureSentence } from "../../documents/failure.ts"
import { type Messages, useMessages } from "../../messages/MessagesProvider.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { MenuButton } from "../../shell/menu/MenuButton.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { NotFoundPage } from "../NotFoundPage.tsx"
import classes from "./DocumentPage.module.css"
import { ProgressBar } from "./ProgressBar.tsx"
import { lazyPart } from "../../parts/lazyPart.ts"

const DeleteDialog = lazyPart(async () => (await import("./DeleteDialog.tsx")).DeleteDialog)
const PagesView = lazyPart(async () => (await import("./PagesView.tsx")).PagesView)
const TextView = lazyPart(async () => (await import("./TextView.tsx")).TextView)

/** The page of one document: its facts and its text. */
export const DocumentPage = ({ documentId }: { readonly documentId: string }) => {
  const { documents, error, reload } = useDocuments()
  const document = documents?.find(({ id }) => id === documentId)
  if (document !== undefined) return <ShownDocument document={document} />
  if (documents !== undefined) return <NotFoundPage />
  return error === undefined ? <Loading /> : <ProblemNotice error={error} onRetry={reload} />
}

const ShownDocument = ({ document }: { readonly document: Document }) => {
  const messages = useMessages()
  const { t } = messages
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const { id, filename, status } = document
  const entries = [
    { label: t("documents.download"), icon: "download", onSelect: () => location.assign(parley.documents.fileUrl(id)) },
    { label: t("documents.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }
  ] as const
  return (
    <Page
      title={filename}
      lead={
        <>
          <Link className={classes.back} to="/documents">
            {t("documents.back")}
          </Link>
          {` · ${aboutWords(document, messages)}`}
        </>
      }
      actions={
        <div className={classes.actions}>
          {status === "ready" && (
            <Button component={Link} to={`/?documents=${id}`}>
              {t("documents.chat")}
            </Button>
          )}
          <MenuButton label={t("documents.menu", { name: filename })} className={classes.menu} entries={entries}>
            <Icon name="dots" />
          </MenuButton>
        </div>
      }
    >
      {status === "ready" ? <Content document={document} /> : <Waiting document={document} />}
      {isDeleting && (
        <Suspense fallback={null}>
          <DeleteDialog
            document={document}
            onClose={() => setDeleting(false)}
            onDeleted={() => void navigate("/documents", { replace: true })}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Shown in the place of a text that is not available: the state of the document. */
const Waiting = ({ document }: { readonly document: Document }) => {
  const messages = useMessages()
  const { t } = messages
  return (
    <div className={classes.waiting} data-status={document.status}>
      {document.status === "failed" ? (
        <p>{failureSentence(document, messages)}</p>
      ) : (
        <>
          <p>{stageWords(document, messages)}</p>
          <ProgressBar label={t("documents.progress", { name: document.filename })} part={document.progress} />
          <p>{t("documents.text.notYet")}</p>
        </>
      )}
    </div>
  )
}

/** The text of a document, and the pages of a pdf. The address selects the view and the place. */
const Content = ({ document: { id, pages, type } }: { readonly document: Document }) => {
  const { t } = useMessages()
  const [address, setAddress] = useSearchParams()
  const isPdf = type === "pdf"
  const page = Number(address.get("page") ?? "")
  const isPages = isPdf && page >= 1
  const showPage = (next: number) => setAddress({ page: String(next) }, { replace: true })
  return (
    <>
      {isPdf && (
        <SegmentedControl
          className={classes.view ?? ""}
          aria-label={t("documents.view")}
          value={isPages ? "pages" : "text"}
          onChange={(view) => (view === "pages" ? showPage(1) : setAddress({}, { replace: true }))}
          data={[
            { value: "text", label: t("documents.view.text") },
            { value: "pages", label: t("documents.view.pages") }
          ]}
        />
      )}
      <Suspense fallback={<Loading />}>
        {isPages ? (
          <PagesView documentId={id} page={Math.floor(page)} pages={pages ?? 1} onPage={showPage} />
        ) : (
          <TextView documentId={id} from={offset(address.get("from"))} to={offset(address.get("to"))} />
        )}
      </Suspense>
    </>
  )
}

const offset = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined

const aboutWords = ({ bytes, createdAt, pages, type }: Document, messages: Messages): string => {
  const { t, size, moment } = messages
  const length = pages === null ? [] : [t("count.pages", { count: pages })]
  return [typeWords(type, messages), ...length, size(bytes), moment(createdAt)].join(" · ")
}
