import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { meQuery } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { FileChooser } from "./FileChooser.tsx"

export interface UploadButtonProps {
  readonly onFiles: (files: ReadonlyArray<File>) => void
  /** Renders the button if it is not a plain one; `choose` opens the file dialog. */
  readonly render?: (choose: () => void) => ReactNode
}

/** A button with which a person chooses files of the accepted types. */
export const UploadButton = ({ onFiles, render }: UploadButtonProps) => {
  const { t } = useMessages()
  const { data: me } = useQuery(meQuery)
  const plain = (choose: () => void) => (
    <Button variant="default" size="sm" leftSection={<Icon name="upload" size={16} />} onClick={choose}>
      {t("chat.documents.upload")}
    </Button>
  )
  return (
    <FileChooser
      label={t("chat.documents.upload")}
      accept={me?.uploads.extensions.map((extension) => `.${extension}`).join(",")}
      onFiles={onFiles}
      render={render ?? plain}
    />
  )
}
