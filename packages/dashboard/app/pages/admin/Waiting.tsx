import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"

export interface WaitingProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Shown in the place of data that is still loading or could not be loaded. */
export const Waiting = ({ error, onRetry }: WaitingProps) =>
  error === null ? <Loading /> : <ProblemNotice error={error} onRetry={onRetry} />
