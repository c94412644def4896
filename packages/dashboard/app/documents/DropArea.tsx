import { type DragEvent, type ReactNode, useState } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Icon } from "../theme/Icon.tsx"
import classes from "./DropArea.module.css"

export interface DropAreaProps {
  readonly onFiles: (files: ReadonlyArray<File>) => void
  readonly children: ReactNode
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes("Files")

/**
 * Accepts files that are dropped anywhere on its content, and marks itself while files are dragged over it.
 */
export const DropArea = ({ onFiles, children }: DropAreaProps) => {
  const { t } = useMessages()
  // The number of nested elements that the pointer has entered and not left; the files have left the area at 0.
  const [depth, setDepth] = useState(0)
  const count = (by: number) => (event: DragEvent) => {
    if (hasFiles(event)) setDepth((before) => Math.max(0, before + by))
  }
  return (
    <div
      className={classes.area}
      onDragEnter={count(1)}
      onDragLeave={count(-1)}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDepth(0)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      {depth > 0 && (
        <div className={classes.over}>
          <Icon name="upload" size={28} />
          {t("documents.drop")}
        </div>
      )}
    </div>
  )
}
