import { ChatRequest } from "@parley/core"
import { InvalidChatRequest } from "@parley/core/adapter"
import { Effect } from "effect"
import { shapeOf } from "./JsonShape.ts"
import { JSON_REFUSALS, type JsonRefusal, readJson } from "./jsonBody.ts"
import type { RouteBody } from "./RouteBody.ts"

const shape = shapeOf(ChatRequest)

/** The body of a chat request. Every problem is 422; the chat service checks its form. */
export const chatBody: RouteBody<unknown, "invalid_chat_request" | JsonRefusal> = {
  contentType: "application/json",
  description: "The messages to answer, the last one by the user.",
  schema: ChatRequest,
  errors: ["invalid_chat_request", ...JSON_REFUSALS],
  read: (request, person) =>
    readJson(request, person, shape).pipe(
      Effect.catchTag("NotJson", ({ problem }) =>
        Effect.fail(new InvalidChatRequest({ issues: [{ path: "body", message: problem }] }))
      )
    )
}
