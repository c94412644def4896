import { Schema } from "effect"
import { mailAddressOf } from "../mail/mailAddress.ts"
import { OpeningHours } from "./openingHours.ts"

/** The maximum number of each part of a bot. Lengths are in UTF-16 units. */
export const BOT_LIMITS = {
  displayName: 100,
  welcomeMessage: 1_000,
  instructions: 8_000,
  declineText: 1_000,
  suggestedQuestions: 6,
  suggestedQuestion: 200,
  welcomeCards: 6,
  cardTitle: 80,
  cardText: 200,
  cardLink: 2_000,
  allowedSites: 50,
  documents: 1_000,
  personName: 100,
  modelId: 100,
  launcherText: 30,
  cornerRadius: 24
} as const

const storable = (value: string) => value.isWellFormed() && !value.includes("\0")

/** A text for people, which may have several lines. */
const Text = (most: number, base = Schema.String) =>
  base.check(
    Schema.isMaxLength(most, { message: `Expected at most ${most} characters` }),
    Schema.makeFilter((value: string) => storable(value) || "Expected a text without NUL and without lone surrogates")
  )

/** A one-line text for people, which is not blank. */
const Line = (most: number, base = Schema.String) =>
  Text(most, base).check(
    Schema.makeFilter(
      (value: string) =>
        (value.trim() !== "" && !/\p{Cc}/u.test(value)) || `Expected 1 to ${most} characters in one line`
    )
  )

const COLOR_MESSAGE = "Expected a colour in the form #rrggbb"
const Color = Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/i, { message: COLOR_MESSAGE }))
export const CanonicalColor = Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/, { message: COLOR_MESSAGE }))

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
const HOST = `(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*`
const PORT = "(?::[1-9][0-9]{0,4})?"
const SITE_MESSAGE =
  "Expected a site such as https://example.com, https://*.example.com or http://localhost:8080, without a path"
const MAX_SITE_CHARACTERS = 300

/**
 * The `host-source` of CSP (level 3, 2.3.1) without a path. It contains no character that could end the header in which
 * it is written.
 */
export const CanonicalSite = Schema.String.check(
  Schema.isMaxLength(MAX_SITE_CHARACTERS, { message: SITE_MESSAGE }),
  Schema.isPattern(new RegExp(`^https?://${HOST}${PORT}$`), { message: SITE_MESSAGE })
)
const Site = Schema.String.check(
  Schema.isMaxLength(MAX_SITE_CHARACTERS, { message: SITE_MESSAGE }),
  Schema.isPattern(new RegExp(`^\\s*(?:https?://)?${HOST}${PORT}/?\\s*$`, "i"), { message: SITE_MESSAGE })
)

export const sitesOf = (site: typeof Site) =>
  Schema.Array(site)
    .check(
      Schema.isMaxLength(BOT_LIMITS.allowedSites, { message: `Expected at most ${BOT_LIMITS.allowedSites} sites` })
    )
    .annotate({ description: "The sites that may embed the widget; any site if none is named." })

const DocumentIds = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, { message: "Expected a UUID" })
  )
).check(Schema.isMaxLength(BOT_LIMITS.documents, { message: `Expected at most ${BOT_LIMITS.documents} documents` }))

const Credits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

const Questions = Schema.Array(Line(BOT_LIMITS.suggestedQuestion)).check(
  Schema.isMaxLength(BOT_LIMITS.suggestedQuestions, {
    message: `Expected at most ${BOT_LIMITS.suggestedQuestions} questions`
  })
)

const LINK_MESSAGE = "Expected an address that begins with https:// or http://, without a password in it"

/**
 * Returns true for the address of a page, as browsers read it: without characters that browsers remove from addresses.
 */
const isPage = (text: string): boolean => {
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
  return url !== null && url.username === "" && url.password === ""
}
const Link = Text(
  BOT_LIMITS.cardLink,
  Schema.String.annotate({ description: "The address of the page that the card opens, with https or http." })
).check(Schema.makeFilter((text: string) => isPage(text) || LINK_MESSAGE))

/** A card that leads either to a page or to the answer to a question. */
const WelcomeCard = Schema.Struct({
  title: Line(BOT_LIMITS.cardTitle, Schema.String.annotate({ description: "The title, in one line." })),
  text: Schema.optionalKey(
    Text(BOT_LIMITS.cardText, Schema.String.annotate({ description: "A text below the title." }))
  ),
  link: Schema.optionalKey(Link),
  question: Schema.optionalKey(
    Line(
      BOT_LIMITS.suggestedQuestion,
      Schema.String.annotate({ description: "The question that the card asks, if it opens no page." })
    )
  )
})
  .check(
    Schema.makeFilter(
      ({ link, question }) => (link === undefined) !== (question === undefined) || "Expected a link or a question"
    )
  )
  .annotate({ identifier: "WelcomeCard", description: "A card in an empty conversation: a link or a question." })
export type WelcomeCard = typeof WelcomeCard.Type

const Cards = Schema.Array(WelcomeCard)
  .check(Schema.isMaxLength(BOT_LIMITS.welcomeCards, { message: `Expected at most ${BOT_LIMITS.welcomeCards} cards` }))
  .annotate({ description: "Cards that the widget shows below the first message, each with a link or a question." })

/** The side of the window; `auto` is the right side, or the left side on a page that runs from right to left. */
const BOT_POSITIONS = ["auto", "left", "right"] as const

/** The fonts of the widget: each is a list of fonts that are installed on devices, so that none is loaded. */
const BOT_FONTS = ["system", "humanist", "rounded", "serif", "mono"] as const

/** The colours of the chat; `auto` follows the visitor's system. */
const BOT_COLOR_SCHEMES = ["auto", "light", "dark"] as const

const LauncherText = Text(
  BOT_LIMITS.launcherText,
  Schema.String.annotate({ description: "Words on the button that opens the chat." })
).check(Schema.makeFilter((value: string) => !/\p{Cc}/u.test(value) || "Expected one line"))

/** The languages that the widget speaks (ISO 639-1). */
export const BOT_LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ja", "ar"] as const
export type BotLanguage = (typeof BOT_LANGUAGES)[number]

/** A bot's texts in one language. If a text is missing, the text for all languages is used. */
const Translation = Schema.optionalKey(
  Schema.Struct({
    welcomeMessage: Schema.optionalKey(
      Text(BOT_LIMITS.welcomeMessage, Schema.String.annotate({ description: "The first message that visitors see." }))
    ),
    suggestedQuestions: Schema.optionalKey(
      Questions.annotate({ description: "Questions that the widget offers to begin with." })
    ),
    welcomeCards: Schema.optionalKey(Cards),
    declineText: Schema.optionalKey(
      Text(
        BOT_LIMITS.declineText,
        Schema.String.annotate({ description: "The text that visitors see when the bot cannot answer." })
      )
    ),
    launcherText: Schema.optionalKey(LauncherText)
  }).annotate({
    identifier: "BotTexts",
    description: "The texts of a bot in one language. A missing one is the text for all languages."
  })
)

/** An e-mail address in its normal form. */
export const CanonicalAddress = Schema.String.check(
  Schema.makeFilter((text: string) => mailAddressOf(text) === text || "Expected an e-mail address")
)
const Address = Schema.String.check(
  Schema.makeFilter((text: string) => mailAddressOf(text) !== undefined || "Expected an e-mail address")
)

export const handOverEmailOf = (address: typeof Address) =>
  Schema.NullOr(address).annotate({
    description: "The address that gets a mail when a visitor asks for a person; no mail is sent if null."
  })

/** The look of the widget, apart from its colour. */
const appearanceFields = {
  position: Schema.Literals(BOT_POSITIONS).annotate({
    description:
      "The side of the window; auto is the right one, or the left one of a page that runs from right to left. The page's own choice goes first."
  }),
  launcherText: Schema.NullOr(LauncherText).annotate({
    description: "Words beside the picture on the button that opens the chat; none if null."
  }),
  cornerRadius: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: BOT_LIMITS.cornerRadius })).annotate({
    description: `The radius of the corners, from 0 to ${BOT_LIMITS.cornerRadius} pixels.`
  }),
  font: Schema.Literals(BOT_FONTS).annotate({
    description: "The font: each of these is a list of fonts that devices have, and none is loaded."
  }),
  colorScheme: Schema.Literals(BOT_COLOR_SCHEMES).annotate({
    description: "The colours of the chat; auto follows the visitor's system. The page's own choice goes first."
  })
}

/** The fields that requests and stored settings have in common. */
export const botFields = {
  displayName: Line(BOT_LIMITS.displayName, Schema.String.annotate({ description: "The name that visitors see." })),
  welcomeMessage: Text(
    BOT_LIMITS.welcomeMessage,
    Schema.String.annotate({ description: "The first message that visitors see." })
  ),
  primaryColor: Color.annotate({ description: "The colour of the widget, as #rrggbb." }),
  ...appearanceFields,
  modelId: Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(BOT_LIMITS.modelId))).annotate({
    description: "The model that answers: the first of the owner's plan if null, or if the plan no longer has it."
  }),
  instructions: Text(
    BOT_LIMITS.instructions,
    Schema.String.annotate({
      description: "Instructions for the model, before every conversation: its purpose and its manner."
    })
  ),
  documentIds: DocumentIds.annotate({ description: "The documents it answers from, of the owner's own." }),
  allowedSites: sitesOf(Site),
  dailyCap: Schema.NullOr(Credits).annotate({
    description:
      "The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well."
  }),
  declineText: Schema.NullOr(Text(BOT_LIMITS.declineText)).annotate({
    description: "The text that visitors see when the owner's credits are used up; a neutral sentence where null."
  }),
  suggestedQuestions: Questions.annotate({ description: "Questions that the widget offers to begin with." }),
  welcomeCards: Cards,
  translations: Schema.Struct({
    en: Translation,
    de: Translation,
    fr: Translation,
    es: Translation,
    pt: Translation,
    it: Translation,
    nl: Translation,
    pl: Translation,
    ja: Translation,
    ar: Translation
  } satisfies Record<BotLanguage, typeof Translation>).annotate({
    description: "The texts for visitors by the language of the widget, in the place of those for all languages."
  }),
  showSources: Schema.Boolean.annotate({
    description: "Whether visitors see the passages that a reply cites, with the documents' names."
  }),
  visitorUploads: Schema.Boolean.annotate({
    description:
      "Whether visitors can attach files, which only the replies of their conversation read. They count as documents of the owner."
  }),
  handOver: Schema.Boolean.annotate({
    description: "Whether a visitor can ask for a person, who then answers in the bot's place."
  }),
  handOverEmail: handOverEmailOf(Address),
  personName: Schema.NullOr(Line(BOT_LIMITS.personName)).annotate({
    description: "The name that visitors see beside a person's answers; a neutral word where null."
  }),
  openingHours: Schema.NullOr(OpeningHours).annotate({
    description: "When people answer; always if null. At other times the widget says when they are back."
  }),
  active: Schema.Boolean.annotate({ description: "Whether it answers. To visitors, one that does not is not there." })
}

/** The defaults for settings that earlier releases did not store. */
export const LATER_DEFAULTS = {
  position: "auto",
  launcherText: null,
  cornerRadius: 18,
  font: "system",
  colorScheme: "auto",
  welcomeCards: [],
  translations: {},
  visitorUploads: false,
  handOver: false,
  handOverEmail: null,
  personName: null,
  openingHours: null
} as const
