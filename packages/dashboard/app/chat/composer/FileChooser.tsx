import { type ReactNode, useId } from "react"

export interface FileChooserProps {
  readonly label: string
  /** The accepted types, in the form of a file field's attribute `accept`. */
  readonly accept: string | undefined
  readonly onFiles: (files: ReadonlyArray<File>) => void
  /** Renders the button; `choose` opens the browser's file dialog. */
  readonly render: (choose: () => void) => ReactNode
}

/** Lets a person choose files by a button that `render` draws. */
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
