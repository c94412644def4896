import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useId } from "react"
import { meQuery } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"

export interface UploadButtonProps {
  readonly onFiles: (files: ReadonlyArray<File>) => void
  /** Renders its content, if it is not a plain button. */
  readonly render?: (choose: () => void) => ReactNode
}

/** Lets a person choose files of the accepted types. */
export const UploadButton = ({ onFiles, render }: UploadButtonProps) => {
  const { t } = useMessages()
  const { data: me } = useQuery(meQuery)
  const id = useId()
  const choose = () => document.getElementById(id)?.click()
  return (
    <>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t("chat.documents.upload")}
        multiple
        accept={me?.uploads.extensions.map((extension) => `.${extension}`).join(",")}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ""
        }}
      />
      {render?.(choose) ?? (
        <Button variant="default" size="sm" leftSection={<Icon name="upload" size={16} />} onClick={choose}>
          {t("chat.documents.upload")}
        </Button>
      )}
    </>
  )
}
