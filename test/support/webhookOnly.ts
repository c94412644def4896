import { verifyWebhook } from "@parley/core/webhook"

/** The import of a server that receives webhooks and uses nothing else of the core. */
export const verify = verifyWebhook
