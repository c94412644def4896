import { Suspense } from "react"
import type { SourceListProps } from "./SourceList.tsx"
import { lazyPart } from "../parts/lazyPart.ts"

const SourceList = lazyPart(async () => (await import("./SourceList.tsx")).SourceList)

/** The sources of a reply, numbered as it cites them. What shows them is loaded with the first reply that has some. */
export const ReplySources = (props: SourceListProps) => (
  <Suspense fallback={null}>
    <SourceList {...props} />
  </Suspense>
)
