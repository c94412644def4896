import { ActionIcon } from "@mantine/core"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { FileChooser } from "../composer/FileChooser.tsx"

/** A button with which a person chooses images; phones also offer the camera. */
export const ImageButton = ({ onFiles }: { readonly onFiles: (files: ReadonlyArray<File>) => void }) => {
  const { t } = useMessages()
  const label = t("chat.image.add")
  return (
    <FileChooser
      label={label}
      accept="image/*"
      onFiles={onFiles}
      render={(choose) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          radius="xl"
          aria-label={label}
          title={label}
          onClick={choose}
        >
          <Icon name="image" />
        </ActionIcon>
      )}
    />
  )
}
