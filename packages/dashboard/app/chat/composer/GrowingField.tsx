import { type ClipboardEvent, type KeyboardEvent, type Ref, useImperativeHandle, useLayoutEffect, useRef } from "react"
import classes from "./GrowingField.module.css"

export interface GrowingFieldProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (value: string) => void
  readonly onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  readonly onPaste?: (event: ClipboardEvent<HTMLTextAreaElement>) => void
  readonly autoFocus?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** A text field that grows with its lines, up to a part of the screen's height. */
export const GrowingField = ({
  label,
  value,
  placeholder,
  onChange,
  onKeyDown,
  onPaste,
  autoFocus,
  ref
}: GrowingFieldProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => field.current as HTMLTextAreaElement)
  useLayoutEffect(() => {
    const area = field.current
    if (area === null) return
    area.style.height = "auto"
    area.style.height = `${area.scrollHeight}px`
  }, [value])
  return (
    <textarea
      ref={field}
      className={classes.field}
      aria-label={label}
      placeholder={placeholder}
      rows={1}
      value={value}
      autoFocus={autoFocus === true}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}
