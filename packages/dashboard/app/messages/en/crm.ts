import type { Message } from "../format.ts"

/** Texts about connecting a bot to the CRM of its owner. */
export const crm = {
  "crm.title": "CRM",
  "crm.text": "Give this bot access to your account. You allow it on the provider's page, and take it back here.",
  "crm.state.none": "Not connected",
  "crm.state.connected": "Connected",
  "crm.state.needs_reconnect": "Has to be connected again",
  "crm.state.error": "Does not work for now",
  "crm.since": "since {day}, by {who}",
  "crm.connect": "Connect",
  "crm.connectNamed": "Connect {name}",
  "crm.reconnect": "Connect again",
  "crm.reconnectNamed": "Connect again to {name}",
  "crm.disconnect": "Disconnect",
  "crm.disconnectNamed": "Disconnect {name}",
  "crm.disconnect.title": "Disconnect {name}?",
  "crm.disconnect.text": "The bot has no access to your account at {name} any more. You can connect it again.",
  "crm.disconnected": "{name} is disconnected.",
  "crm.disconnected.pending":
    "{name} is disconnected. The provider did not answer; it is told later that the access has ended.",
  "crm.disconnected.unsupported":
    "{name} is disconnected. To end the access there as well, use your settings at {name}.",
  "crm.disconnected.failed":
    "{name} is disconnected, but the provider could not be told. End the access in your settings at {name}.",
  "crm.unavailable": "It cannot be connected now: this server is not set up for it.",
  "crm.problem.expired": "The access has ended.",
  "crm.problem.refused": "{name} does not allow the access any more.",
  "crm.problem.answer_lost": "The access was renewed, but the answer was lost on the way.",
  "crm.problem.client": "The provider does not accept this server. Tell whoever runs it.",
  "crm.problem.unavailable": "The provider does not answer for now. It is tried again by itself.",
  "crm.problem.unreadable": "This server cannot read the access that it kept. Tell whoever runs it, or connect again.",
  "crm.return.connected": "{name} is connected.",
  "crm.return.denied": "Nothing was connected: the access was not allowed.",
  "crm.return.state":
    "Nothing was connected: what came back was too late, used before, or begun elsewhere. Connect once more from here.",
  "crm.return.exchange": "Nothing was connected: the provider did not go through with it. Try again in a moment.",
  "crm.return.bot": "Nothing was connected: the bot was deleted in the meantime."
} as const satisfies Record<string, Message>
