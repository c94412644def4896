import { useDocuments } from "@parley/react"
import { useQuery } from "@tanstack/react-query"
import { Suspense, useEffect, useRef, useState } from "react"
import { meQuery } from "../api/session.ts"
import { chosenDocuments } from "../documents/chosenDocuments.ts"
import { DropArea } from "../documents/DropArea.tsx"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { lazyPart } from "../parts/lazyPart.ts"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { Announcer } from "../spoken/Announcer.tsx"
import { Composer } from "./composer/Composer.tsx"
import type { Conversation } from "./Conversation.ts"
import classes from "./ConversationView.module.css"
import { useShown } from "./ShownMessages.ts"
import { Start } from "./Start.tsx"
import { Transcript } from "./transcript/Transcript.tsx"
import { UploadNotes } from "./composer/UploadNotes.tsx"
import { useFacts } from "./useConversation.ts"
import { isImage, useImages } from "./images/useImages.ts"
import { useUpload } from "./composer/useUpload.ts"

const InProject = lazyPart(async () => (await import("../projects/InProject.tsx")).InProject)

/**
 * A conversation: its messages, and the field for the next question. Dropped files become documents of the
 * conversation; dropped images become images of the next question if the model sees images.
 */
export const ConversationView = ({ conversation }: { readonly conversation: Conversation }) => {
  const { t } = useMessages()
  const { messages, status } = useShown(conversation.chat)
  const facts = useFacts(conversation)
  const uploading = useUpload(conversation)
  const images = useImages(conversation)
  const take = (files: ReadonlyArray<File>) => {
    const pictures = images.isPossible ? files.filter(isImage) : []
    if (pictures.length > 0) void images.add(pictures)
    const documents = files.filter((file) => !pictures.includes(file))
    if (documents.length > 0) void uploading.upload(documents)
  }
  const [draft, setDraft] = useState<string>()
  const isWriting = status !== "ready" || facts.isJoining
  const isEmpty = messages.length === 0
  useDefaultDocuments(conversation, isEmpty)
  const { refusal } = facts
  return (
    <DropArea onFiles={take}>
      <div className={classes.view} data-empty={isEmpty ? "" : undefined}>
        {isEmpty ? (
          <Start conversation={conversation} uploading={uploading} onQuestion={setDraft} />
        ) : (
          <Transcript conversation={conversation} messages={messages} isWriting={isWriting || facts.isReconnecting} />
        )}
        <div className={classes.foot}>
          {facts.isReconnecting && (
            <p className={classes.note} role="status">
              {t("chat.reconnecting")}
            </p>
          )}
          {!isEmpty && <UploadNotes {...uploading} />}
          {refusal?.error !== undefined && (
            <ProblemNotice error={refusal.error} onDismiss={() => conversation.dismissRefusal()} />
          )}
          <Composer
            conversation={conversation}
            images={images}
            isWriting={isWriting}
            suggestion={draft}
            onSent={() => setDraft(undefined)}
            returned={refusal?.question}
          />
          {facts.projectId === null ? (
            <WithoutDocuments conversation={conversation} />
          ) : (
            <Suspense fallback={<p className={classes.note}>&nbsp;</p>}>
              <InProject projectId={facts.projectId} />
            </Suspense>
          )}
        </div>
        <Announcer conversation={conversation} messages={messages} isWriting={isWriting} />
      </div>
    </DropArea>
  )
}

/** Warns before a question is sent without documents. */
const WithoutDocuments = ({ conversation }: { readonly conversation: Conversation }) => {
  const { t } = useMessages()
  const { documentIds } = useFacts(conversation)
  const { documents } = useDocuments()
  if (documents === undefined) return null
  if (documents.some(({ id, status }) => status !== "failed" && documentIds?.includes(id) === true)) return null
  return <p className={classes.note}>{t("chat.documents.without")}</p>
}

/**
 * Adds to a new chat the documents that the person last chose or uploaded and still has. In a project it adds none,
 * because replies there read the project's documents.
 */
const useDefaultDocuments = (conversation: Conversation, isEmpty: boolean): void => {
  const { chatId, projectId } = useFacts(conversation)
  const { data: me } = useQuery(meQuery)
  const { documents } = useDocuments()
  const begun = useRef<string>(undefined)
  useEffect(() => {
    const isNew = chatId === undefined && isEmpty
    const place = `${conversation.id} ${projectId}`
    if (!isNew || begun.current === place || me == null || documents === undefined) return
    begun.current = place
    if (projectId !== null) return conversation.beginWith([])
    const usable = new Set(documents.filter(({ status }) => status !== "failed").map(({ id }) => id))
    conversation.beginWith(chosenDocuments.read(me.userId).filter((id) => usable.has(id)))
  }, [conversation, chatId, projectId, isEmpty, me, documents])
}
