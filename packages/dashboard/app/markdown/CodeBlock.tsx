import { memo, useEffect, useState } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { Icon } from "../theme/Icon.tsx"
import classes from "./Markdown.module.css"

const SAID_MS = 2_000

export interface CodeBlockProps {
  /** The language in the fence, if any. */
  readonly language: string | undefined
  readonly text: string
}

/** Code with the name of its language and a button that copies it. */
export const CodeBlock = memo(({ language, text }: CodeBlockProps) => {
  const { t } = useMessages()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const name = /^[\w+#.-]{1,24}/.exec(language ?? "")?.[0] ?? t("chat.code")
  return (
    <div className={classes.code}>
      <div className={classes.codeHead}>
        <span>{name}</span>
        <button
          type="button"
          className={classes.copy}
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          <Icon name={isCopied ? "check" : "copy"} size={15} />
          <span aria-live="polite">{isCopied ? t("chat.copied") : t("chat.copyCode")}</span>
        </button>
      </div>
      {/* Long lines are scrolled with the keyboard, too. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
})
CodeBlock.displayName = "CodeBlock"
