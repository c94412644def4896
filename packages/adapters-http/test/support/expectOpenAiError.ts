import { expect } from "vitest"
import type { ErrorCode } from "../../src/index.ts"

/** Checks that a response is a failure in OpenAI's form with this status and code; returns its error. */
export const expectOpenAiError = async (
  response: Response,
  status: number,
  code: ErrorCode | "context_length_exceeded"
): Promise<Record<string, unknown>> => {
  const body = (await response.json()) as { readonly error: Record<string, unknown> }
  expect(Object.keys(body)).toEqual(["error"])
  expect({ status: response.status, code: body.error["code"] }).toEqual({ status, code })
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
  for (const member of ["message", "type"]) expect(body.error[member]).toEqual(expect.any(String))
  expect(body.error["param"]).toSatisfy((param) => param === null || typeof param === "string")
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|\bat [A-Za-z]+ \(/)
  return body.error
}
