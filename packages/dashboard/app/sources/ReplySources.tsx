import { makePart } from "../parts/part.ts"
import type { SourceListProps } from "./SourceList.tsx"

export const sourceList = makePart(() => import("./SourceList.tsx"))

/**
 * The sources of a reply, numbered as in its citations. Their component is loaded with the first reply that has
 * sources.
 */
export const ReplySources = (props: SourceListProps) => {
  const List = sourceList.useLoaded()?.SourceList
  return List === undefined ? null : <List {...props} />
}
