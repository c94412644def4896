/** An error in the form of Stripe's error responses. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal"
  readonly status: number
  readonly body: { readonly error: Readonly<Record<string, string>> }

  constructor(
    status: number,
    type: string,
    message: string,
    more: { readonly code?: string; readonly param?: string } = {}
  ) {
    super(message)
    this.status = status
    this.body = { error: { type, message, ...more } }
  }
}

export const missing = (object: string, id: string, param: string): ApiRefusal =>
  new ApiRefusal(param === "id" ? 404 : 400, "invalid_request_error", `No such ${object}: '${id}'`, {
    code: "resource_missing",
    param
  })

export const badParameter = (param: string, message: string, code = "parameter_invalid"): ApiRefusal =>
  new ApiRefusal(400, "invalid_request_error", message, { code, param })
