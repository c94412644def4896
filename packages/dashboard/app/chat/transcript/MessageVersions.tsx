import { Suspense } from "react"
import { lazyPart } from "../../parts/lazyPart.ts"
import type { VersionsViewProps } from "./VersionsView.tsx"

const VersionsView = lazyPart(async () => (await import("./VersionsView.tsx")).VersionsView)

/** The versions of a message, if it has several. */
export const MessageVersions = (props: VersionsViewProps) =>
  (props.message.metadata?.versions?.length ?? 0) > 1 && (
    <Suspense fallback={null}>
      <VersionsView {...props} />
    </Suspense>
  )
