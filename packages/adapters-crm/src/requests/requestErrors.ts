/** The connection was not made: nothing of the request left this machine. */
export class NotConnected extends Error {
  override readonly name = "NotConnected"
  /** The system's word for why, for example `ECONNREFUSED`. */
  readonly reason: string

  constructor(reason: string) {
    super(`The CRM provider's address cannot be reached (${reason}).`)
    this.reason = reason
  }
}

/** The connection was made, and broke or stayed silent before the answer had come. */
export class AnswerBroken extends Error {
  override readonly name = "AnswerBroken"
}

/** More came than there may be. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** An answer came that is none of the protocol's; its text is left out. */
export class AnswerUnknown extends Error {
  override readonly name = "AnswerUnknown"
  readonly status: number

  constructor(status: number, what: string) {
    super(`The CRM provider answered with status ${status}: ${what}.`)
    this.status = status
  }
}
