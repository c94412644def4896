/** The path of the server below which the payment stand-in has its pages. */
export const STAND_IN_PATH = "/dev/payments"
