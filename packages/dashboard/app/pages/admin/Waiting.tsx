import { Loading } from "../../shell/Loading.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"

export interface WaitingProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Shown in the place of data that is not there: it is loaded, or loading failed. */
export const Waiting = ({ error, onRetry }: WaitingProps) =>
  error === null ? <Loading /> : <ProblemNotice error={error} onRetry={onRetry} />
