import { Text, Title } from "@mantine/core"
import { type ReactNode, useEffect, useSyncExternalStore } from "react"
import { brandOf } from "../brand/brandOf.ts"
import classes from "./Page.module.css"

export interface PageProps {
  readonly title: string
  /** One sentence under the title. */
  readonly lead?: ReactNode
  /** The actions for the page as a whole, beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The layout of every page except chats: a title, and the content in one scrolling column. */
export const Page = ({ title, lead, actions, children }: PageProps) => {
  useDocumentTitle(title)
  return (
    <div className={classes.scroller} data-scrolls="">
      <div className={classes.column}>
        <header className={classes.head}>
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {lead !== undefined && (
              <Text c="dimmed" mt={4}>
                {lead}
              </Text>
            )}
          </div>
          {actions}
        </header>
        {children}
      </div>
    </div>
  )
}

/** Sets the title of the browser's tab. */
export const useDocumentTitle = (title: string): void => {
  useEffect(() => {
    const { name } = brandOf()
    document.title = title === "" ? name : `${title} · ${name}`
    shownTitle = title
    for (const listener of listeners) listener()
  }, [title])
}

let shownTitle = ""
const listeners = new Set<() => void>()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The title of the page in view, for components. */
export const usePageTitle = (): string => useSyncExternalStore(subscribe, () => shownTitle)
