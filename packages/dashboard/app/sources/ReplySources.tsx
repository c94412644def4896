import { makePart } from "../parts/part.ts"
import type { SourceListProps } from "./SourceList.tsx"

export const sourceList = makePart(() => import("./SourceList.tsx"))

/**
 * The sources of a reply, with the numbers of its citations. The component's code is loaded with the first reply that
 * has sources.
 */
export const ReplySources = (props: SourceListProps) => {
  const List = sourceList.useLoaded()?.SourceList
  return List === undefined ? null : <List {...props} />
}
