import { memo, Suspense, useEffect, useMemo, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { lazyPart } from "../../parts/lazyPart.ts"
import { Icon } from "../../theme/Icon.tsx"
import { colours } from "./codePart.ts"
import classes from "../Markdown.module.css"

const Diagram = lazyPart(async () => (await import("./Diagram.tsx")).Diagram)

const SAID_MS = 2_000
const DIAGRAM = "mermaid"

export interface CodeBlockProps {
  /** The language that the fence names, if any. */
  readonly language: string | undefined
  readonly text: string
  /** True if the text is complete, so that it can be coloured or drawn. */
  readonly isWhole: boolean
}

/** Code in the colours of its language, with the language's name and a copy button. A diagram is drawn instead. */
export const CodeBlock = memo(({ language, text, isWhole }: CodeBlockProps) => {
  const { t } = useMessages()
  const [isDrawn, setDrawn] = useState(true)
  const [isBroken, setBroken] = useState(false)
  const known = /^[\w+#.-]{1,24}/.exec(language ?? "")?.[0]
  const isDiagram = isWhole && known?.toLowerCase() === DIAGRAM && !isBroken
  return (
    <div className={classes.code}>
      <div className={classes.codeHead}>
        <span>{known ?? t("chat.code")}</span>
        <span className={classes.codeActions}>
          {isDiagram && (
            <button type="button" className={classes.copy} onClick={() => setDrawn(!isDrawn)}>
              {t(isDrawn ? "chat.showCode" : "chat.showDiagram")}
            </button>
          )}
          <CopyButton text={text} />
        </span>
      </div>
      {isDiagram && isDrawn ? (
        <Suspense fallback={<div className={classes.diagram} />}>
          <Diagram text={text} onFailed={() => setBroken(true)} />
        </Suspense>
      ) : (
        // `tabIndex` makes long lines scrollable by keyboard.
        <pre tabIndex={0}>
          <code>
            <Coloured language={isWhole ? known?.toLowerCase() : undefined} text={text} />
          </code>
        </pre>
      )}
    </div>
  )
})
CodeBlock.displayName = "CodeBlock"

interface ColouredProps {
  /** The language; undefined for code without colours. */
  readonly language: string | undefined
  readonly text: string
}

const Coloured = ({ language, text }: ColouredProps) => {
  const colourCode = colours.useLoaded(language !== undefined)?.colourCode
  return useMemo(
    () => (language === undefined ? undefined : colourCode?.(language, text)) ?? text,
    [colourCode, language, text]
  )
}

const CopyButton = ({ text }: { readonly text: string }) => {
  const { t } = useMessages()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      className={classes.copy}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon name={isCopied ? "check" : "copy"} size={15} />
      <span aria-live="polite">{isCopied ? t("chat.copied") : t("chat.copyCode")}</span>
    </button>
  )
}
