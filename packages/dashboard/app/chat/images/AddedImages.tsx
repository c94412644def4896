import { ActionIcon } from "@mantine/core"
import { parley } from "../../api/parley.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import type { Conversation } from "../Conversation.ts"
import { useFacts } from "../useConversation.ts"
import classes from "./Images.module.css"
import type { AddingImages } from "./useImages.ts"

export interface AddedImagesProps {
  readonly conversation: Conversation
  readonly images: AddingImages
}

/** The images of the next question, each with a button that removes it. */
export const AddedImages = ({ conversation, images }: AddedImagesProps) => {
  const { t } = useMessages()
  const { imageIds } = useFacts(conversation)
  const { dismiss, refusal, waiting } = images
  if (imageIds.length + waiting === 0 && refusal === undefined) return null
  return (
    <>
      {refusal !== undefined && "error" in refusal && <ProblemNotice error={refusal.error} onDismiss={dismiss} />}
      {refusal !== undefined && "note" in refusal && (
        <p className={classes.note} role="alert">
          {t(refusal.note)}
        </p>
      )}
      <ul className={classes.added}>
        {imageIds.map((id, place) => (
          <li key={id}>
            <img src={parley.images.url(id)} alt={t("chat.image", { number: place + 1 })} />
            <ActionIcon
              className={classes.remove ?? ""}
              size={22}
              radius="xl"
              variant="filled"
              color="dark"
              aria-label={t("chat.image.remove", { number: place + 1 })}
              onClick={() => conversation.attachImages(imageIds.filter((each) => each !== id))}
            >
              <Icon name="close" size={12} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {waiting > 0 && (
        <p className={classes.note} role="status">
          {t("chat.image.uploading", { count: waiting })}
        </p>
      )}
    </>
  )
}
