import { type ReactNode, useId } from "react"

export interface FileChooserProps {
  readonly label: string
  /** The accepted types, as the attribute of a file field names them. */
  readonly accept: string | undefined
  readonly onFiles: (files: ReadonlyArray<File>) => void
  /** Renders the button, which opens the browser's dialog. */
  readonly render: (choose: () => void) => ReactNode
}

/** Lets a person choose files with a button of any look. */
export const FileChooser = ({ accept, label, onFiles, render }: FileChooserProps) => {
  const id = useId()
  return (
    <>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        multiple
        accept={accept}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ""
        }}
      />
      {render(() => document.getElementById(id)?.click())}
    </>
  )
}
