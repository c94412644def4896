import { ActionIcon } from "@mantine/core"
import { useId } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"

/** Lets a person choose images; phones offer to take a photo. */
export const ImageButton = ({ onFiles }: { readonly onFiles: (files: ReadonlyArray<File>) => void }) => {
  const { t } = useMessages()
  const id = useId()
  return (
    <>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t("chat.image.add")}
        multiple
        accept="image/*"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ""
        }}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        radius="xl"
        aria-label={t("chat.image.add")}
        title={t("chat.image.add")}
        onClick={() => document.getElementById(id)?.click()}
      >
        <Icon name="image" />
      </ActionIcon>
    </>
  )
}
