import { Result } from "effect"
import { ModelFailed, type EndPart } from "./ChatModel.ts"

/**
 * The result of a model's finished stream: its end, or a failure if the end mark is missing (`cut-off`) or the
 * complete reply has no text (`empty`). This is the only place that decides either.
 */
export const finishedReply = (
  model: string,
  spoke: boolean,
  end: EndPart | undefined
): Result.Result<EndPart, ModelFailed> => {
  if (end !== undefined && spoke) return Result.succeed(end)
  return Result.fail(new ModelFailed({ model, reason: end === undefined ? "cut-off" : "empty", retryable: true }))
}
