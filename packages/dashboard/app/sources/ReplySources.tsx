import { makePart } from "../parts/part.ts"
import type { SourceListProps } from "./SourceList.tsx"

export const sourceList = makePart(() => import("./SourceList.tsx"))

/** The sources of a reply, numbered as it cites them. What shows them is loaded with the first reply that has some. */
export const ReplySources = (props: SourceListProps) => {
  const List = sourceList.useLoaded()?.SourceList
  return List === undefined ? null : <List {...props} />
}
