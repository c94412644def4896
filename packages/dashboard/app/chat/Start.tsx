import type { Document } from "@parley/client"
import { Title } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, Suspense, useState } from "react"
import { load } from "../api/parley.ts"
import { meQuery } from "../api/session.ts"
import { type Messages, useMessages } from "../messages/MessagesProvider.tsx"
import { Icon, type IconName } from "../theme/Icon.tsx"
import type { Conversation } from "./Conversation.ts"
import classes from "./Start.module.css"
import { DocumentsChooser } from "./composer/documentsChooserPart.ts"
import { UploadButton } from "./composer/UploadButton.tsx"
import { useFacts } from "./useConversation.ts"
import { UploadNotes } from "./composer/UploadNotes.tsx"
import type { Uploading } from "./composer/useUpload.ts"

const SAMPLE = "sample-lease.md"

export interface StartProps {
  readonly conversation: Conversation
  readonly uploading: Uploading
  /** Called with a suggested question, to put it into the field. */
  readonly onQuestion: (question: string) => void
}

/** A chat before its first question: suggested questions and the choice of documents. */
export const Start = ({ conversation, onQuestion, uploading }: StartProps) => {
  const messages = useMessages()
  const { t } = messages
  const { documents } = useDocuments()
  const { documentIds } = useFacts(conversation)
  const { upload, uploads } = uploading
  const [isChoosing, setChoosing] = useState(false)
  const attached = usableOf(documents).filter(({ id }) => documentIds?.includes(id) === true)
  const newest = attached[0]
  return (
    <div className={classes.scroller}>
      <div className={classes.start}>
        <Title order={1} className={classes.greeting ?? ""}>
          {t("chat.greeting")}
        </Title>
        <UploadNotes {...uploading} />
        {documents !== undefined && newest === undefined && uploads.length === 0 && (
          <Cards documents={documents} upload={upload} onChoose={() => setChoosing(true)} />
        )}
        {isChoosing && (
          <Suspense fallback={null}>
            <DocumentsChooser conversation={conversation} onClose={() => setChoosing(false)} />
          </Suspense>
        )}
        {newest !== undefined && (
          <section className={classes.questions} aria-label={t("chat.start.ask")}>
            {questionsAbout(newest, messages).map((question) => (
              <button key={question} type="button" onClick={() => onQuestion(question)}>
                {question}
                <Icon name="chevronRight" size={16} />
              </button>
            ))}
          </section>
        )}
      </div>
    </div>
  )
}

const questionsAbout = ({ filename }: Document, { t }: Messages): ReadonlyArray<string> =>
  filename === SAMPLE
    ? [t("chat.start.sample.q1"), t("chat.start.sample.q2"), t("chat.start.sample.q3")]
    : [
        t("chat.start.q1", { name: filename }),
        t("chat.start.q2", { name: filename }),
        t("chat.start.q3", { name: filename })
      ]

const UploadLimits = () => {
  const { t, list, size } = useMessages()
  const { data: me } = useQuery(meQuery)
  if (me == null) return null
  const types = list(me.uploads.types.map((type) => type.toUpperCase()))
  return t("chat.start.upload.text", { types, size: size(me.uploads.maxBytes) })
}

const usableOf = (documents: ReadonlyArray<Document> = []): ReadonlyArray<Document> =>
  documents.filter(({ status }) => status !== "failed")

interface CardsProps {
  readonly documents: ReadonlyArray<Document>
  readonly upload: Uploading["upload"]
  readonly onChoose: () => void
}

/** The cards with which a person adds documents to the chat. */
const Cards = ({ documents, upload, onChoose }: CardsProps) => {
  const { t } = useMessages()
  const usable = usableOf(documents)
  const addSample = async () => {
    const text = await (await load(`/${SAMPLE}`)).text()
    await upload([new File([text], SAMPLE, { type: "text/markdown" })])
  }
  return (
    <div className={classes.cards}>
      {documents.length === 0 && (
        <Card
          icon="file"
          title={t("chat.start.sample.title")}
          text={t("chat.start.sample.text")}
          onClick={() => void addSample()}
        />
      )}
      {usable.length > 0 && (
        <Card
          icon="paperclip"
          title={t("chat.start.choose.title")}
          text={t("chat.start.choose.text", { count: usable.length })}
          onClick={onChoose}
        />
      )}
      <UploadButton
        onFiles={(files) => void upload(files)}
        render={(choose) => (
          <Card icon="upload" title={t("chat.start.upload.title")} text={<UploadLimits />} onClick={choose} />
        )}
      />
    </div>
  )
}

interface CardProps {
  readonly icon: IconName
  readonly title: string
  readonly text: ReactNode
  readonly onClick: () => void
}

const Card = ({ icon, title, text, onClick }: CardProps) => (
  <button type="button" className={classes.card} onClick={onClick}>
    <Icon name={icon} size={20} />
    <span className={classes.cardTitle}>{title}</span>
    <span className={classes.cardText}>{text}</span>
  </button>
)
