import { Result } from "effect"
import { ModelFailed, type EndPart } from "./ChatModel.ts"

/**
 * What a model's stream that has finished comes to: its end, or a failure where it lacks the end mark (`cut-off`) or is
 * complete and says nothing (`empty`). The only place that decides either.
 */
export const finishedReply = (
  model: string,
  spoke: boolean,
  end: EndPart | undefined
): Result.Result<EndPart, ModelFailed> => {
  if (end !== undefined && spoke) return Result.succeed(end)
  return Result.fail(new ModelFailed({ model, reason: end === undefined ? "cut-off" : "empty", retryable: true }))
}
