import type { Message } from "../format.ts"

/** Texts of failures. Each key is `problem.` followed by the server's code. */
export const problems = {
  "problem.unreachable": "The server cannot be reached. Check your connection, then try again.",
  "problem.unexpected": "Something went wrong on this page. Reload it and try again.",
  "problem.request": "If it happens again, report the number {requestId}.",
  "problem.unauthorized": "You are not signed in.",
  "problem.blocked": "Your access has been blocked. Contact the operator of this service.",
  "problem.fresh_sign_in_required":
    "You signed in a while ago. Sign in again to show that it is you, then come back here.",
  "problem.holds_open":
    "A reply is still being written, for you or by one of your bots. Stop it or switch the bots off, then try again.",
  "problem.erasure_limited":
    "You have deleted an account in the last 30 days. Ask the operator of this service to delete this one.",
  "problem.insufficient_credits": {
    one: "This would cost more than you have: {count} credit is available.",
    other: "This would cost more than you have: {count} credits are available."
  },
  "problem.insufficient_credits.next": "Your next monthly credits come on {day}.",
  "problem.insufficient_credits.models": "What you have is still enough for {models}.",
  "problem.model_not_allowed": "Your plan does not include this model. Choose another one.",
  "problem.document_forbidden": "One of the documents belongs to somebody else.",
  "problem.document_quota": "Your plan has no room for more documents. Delete some you no longer need.",
  "problem.scanner_unavailable":
    "This file cannot be checked for malware now, and was not stored. Try again in a moment.",
  "problem.storage_quota": "Your plan has no room for more chats. Delete some you no longer need.",
  "problem.not_found": "There is nothing here.",
  "problem.chat_not_found": "There is no such chat. It may have been deleted.",
  "problem.document_not_found": "There is no such document. It may have been deleted.",
  "problem.head_too_large": "Your browser sends too many cookies to this site. Delete them, then try again.",
  "problem.payload_too_large": "This is too large to be sent.",
  "problem.prompt_too_long": "Your message is too long for this model. Shorten it, or choose another model.",
  "problem.invalid_chat_request": "This message cannot be sent. Is it empty, or very long?",
  "problem.request_in_progress": "This question is already being answered.",
  "problem.too_many_abandoned_tries": "Too many replies were stopped before their first word. Wait a minute.",
  "problem.too_many_replies": "As many replies as your plan allows are being written. Wait until one has ended.",
  "problem.daily_cap_reached": "Today's limit of credits is used up.",
  "problem.too_many_requests": "Too much at once. Try again in a moment.",
  "problem.server_busy": "The server is busy. Try again in a moment.",
  "problem.provider_rate_limited":
    "The model takes no more questions for now. Try again in a moment, or choose another model.",
  "problem.provider_unavailable": "The model does not answer for now. Try again in a moment, or choose another model.",
  "problem.model_failed": "The model did not answer. Nothing was charged. Try again, or choose another model.",
  "problem.model_unavailable": "This model is not set up on this server. Choose another one.",
  "problem.model_misconfigured": "This model is not set up right on this server. Choose another one.",
  "problem.invalid_bot": "Some settings cannot be so. They are marked above.",
  "problem.bot_not_found": "There is no such bot. It may have been deleted.",
  "problem.conversation_not_found": "There is no such conversation. It may have been deleted.",
  "problem.bot_key_not_found": "The bot has no such key. It may have been retired.",
  "problem.last_bot_key": "This is the bot's only key. Add another one first, or switch the bot off.",
  "problem.too_many_bot_keys": "The bot has as many keys as it can have. Retire one that no page uses any more.",
  "problem.too_many_bots": "You have as many bots as you can have. Delete one you no longer need.",
  "problem.bot_misconfigured": "This bot's settings are damaged. Save them again.",
  "problem.payments_not_configured": "Nothing is sold on this server: payments are not set up here.",
  "problem.payment_provider_unavailable":
    "The payment provider does not answer for now. Nothing was charged. Try again in a moment.",
  "problem.payment_provider_refused":
    "The payment provider is not set up right on this server. Nothing was charged. Tell whoever runs it.",
  "problem.price_not_offered": "This is not for sale any more. Reload the page and choose again.",
  "problem.already_subscribed": "You have a plan already. Change it on the payment provider's page.",
  "problem.storage_unavailable": "Something failed on our side. Try again in a moment.",
  "problem.internal_error": "Something failed on our side. Try again in a moment.",
  "problem.identity_unavailable": "Signing in is not possible for the moment. Try again soon."
} as const satisfies Record<string, Message>
