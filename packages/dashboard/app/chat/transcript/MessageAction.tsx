import { useEffect, useState } from "react"
import { Icon, type IconName } from "../../theme/Icon.tsx"
import classes from "./MessageAction.module.css"

const SAID_MS = 1_500

export interface MessageActionProps {
  readonly icon: IconName
  readonly label: string
  /** The action. If it returns a promise, a tick shows that the promise resolved. */
  readonly onAct: () => unknown
}

/** A small button under a message. */
export const MessageAction = ({ icon, label, onAct }: MessageActionProps) => {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const act = () => {
    const result = onAct()
    if (result instanceof Promise)
      void result.then(
        () => setDone(true),
        () => undefined
      )
  }
  return (
    <button type="button" className={classes.action} aria-label={label} title={label} onClick={act}>
      <Icon name={isDone ? "check" : icon} size={16} />
    </button>
  )
}
