/** The connection could not be opened: no byte of the request has left this machine. */
export class NotConnected extends Error {
  override readonly name = "NotConnected"
  /** The system's code for the cause, for example `ECONNREFUSED`. */
  readonly reason: string

  constructor(reason: string) {
    super(`The CRM provider's address cannot be reached (${reason}).`)
    this.reason = reason
  }
}

/** The connection was opened, but it broke or fell silent before the response was complete. */
export class AnswerBroken extends Error {
  override readonly name = "AnswerBroken"
}

/** The response is longer than the limit. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** The response does not follow the protocol. The error does not contain its text. */
export class AnswerUnknown extends Error {
  override readonly name = "AnswerUnknown"
  readonly status: number

  constructor(status: number, what: string) {
    super(`The CRM provider answered with status ${status}: ${what}.`)
    this.status = status
  }
}
