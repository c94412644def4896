/** Verifies webhooks of Parley, for servers that receive them. It loads no other package. */

export { InvalidWebhook, type ReceivedHeaders, verifyWebhook } from "./events/verifyWebhook.ts"
