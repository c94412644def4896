import { Suspense } from "react"
import { lazyPart } from "../../parts/lazyPart.ts"
import type { VersionsViewProps } from "./VersionsView.tsx"

const VersionsView = lazyPart(async () => (await import("./VersionsView.tsx")).VersionsView)

/** The controls for the versions of a message; nothing if there is only one version. */
export const MessageVersions = (props: VersionsViewProps) =>
  (props.message.metadata?.versions?.length ?? 0) > 1 && (
    <Suspense fallback={null}>
      <VersionsView {...props} />
    </Suspense>
  )
