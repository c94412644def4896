import { expect } from "vitest"
import type { ErrorCode } from "../../src/index.ts"

/** Checks that a response is problem details with this status and code; returns the body. */
export const expectProblem = async (
  response: Response,
  status: number,
  code: ErrorCode
): Promise<Record<string, unknown>> => {
  const body = (await response.json()) as Record<string, unknown>
  expect({ status: response.status, code: body["code"] }).toEqual({ status, code })
  expect(response.headers.get("content-type")).toBe("application/problem+json")
  expect(body).toMatchObject({ status, type: `urn:parley:problem:${code}` })
  for (const member of ["title", "detail", "error", "requestId"]) expect(body[member]).toEqual(expect.any(String))
  expect(body["requestId"]).toBe(response.headers.get("x-request-id"))
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|\bat [A-Za-z]+ \(/)
  return body
}
