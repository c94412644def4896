/** Below which path of the server the pages of the stand-in for payments are. */
export const STAND_IN_PATH = "/dev/payments"
