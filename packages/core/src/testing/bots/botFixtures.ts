import type { Bot } from "../../bots/Bot.ts"
import type { UserId } from "../../identity/UserId.ts"

/** Returns a text in the form of a public key that no bot has. */
export const newPublicKeyText = (): string => `pk_${crypto.randomUUID().replaceAll("-", "")}`

/** Makes a new bot; `changes` replace any part of it. */
export const newBot = (owner: UserId, changes: Partial<Bot> = {}): Bot => ({
  id: crypto.randomUUID(),
  owner,
  displayName: "Help desk",
  welcomeMessage: "Hello!",
  primaryColor: "#2563eb",
  position: "left",
  launcherText: "Ask us",
  cornerRadius: 6,
  font: "serif",
  colorScheme: "dark",
  modelId: null,
  instructions: "",
  documentIds: [],
  allowedSites: [],
  dailyCap: null,
  declineText: null,
  suggestedQuestions: [],
  welcomeCards: [{ title: "Prices", text: "For all.", link: "https://shop.example/prices" }],
  translations: { fr: { welcomeMessage: "Bonjour !", suggestedQuestions: ["Où ?"] } },
  showSources: true,
  visitorUploads: true,
  handOver: false,
  handOverEmail: null,
  personName: null,
  openingHours: null,
  active: true,
  keys: [{ publicKey: newPublicKeyText(), createdAt: 1_767_225_600_000 }],
  createdAt: 1_767_225_600_000,
  updatedAt: 1_767_225_600_000,
  ...changes
})

/** Returns the bot in the form in which a store returns it. */
export const storedBot = ({ createdAt, id, keys, owner, updatedAt, ...settings }: Bot) => ({
  id,
  owner,
  keys,
  createdAt,
  updatedAt,
  settings
})
