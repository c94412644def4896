/** The entry for servers that receive webhooks of Parley: verifies them, and loads no other package. */

export { InvalidWebhook, type ReceivedHeaders, verifyWebhook } from "./events/verifyWebhook.ts"
