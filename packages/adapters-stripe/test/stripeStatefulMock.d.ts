/** A server that others wrote of Stripe's protocol as of 2020-08-27; it comes without types. */
declare module "stripe-stateful-mock" {
  export const createExpressApp: () => import("node:http").RequestListener
}
