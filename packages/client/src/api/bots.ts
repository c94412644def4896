// Written by `npm run docs:tables` from the table of routes: change that.

/** A bot with its settings and public keys. */
export interface Bot {
  /** The bot's id. */
  readonly id: string
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor: string
  /** The side of the window; auto is the right one, or the left one of a page that runs from right to left. The page's own choice goes first. */
  readonly position: "auto" | "left" | "right"
  /** Words beside the picture on the button that opens the chat; none if null. */
  readonly launcherText: string | null
  /** The radius of the corners, from 0 to 24 pixels. */
  readonly cornerRadius: number
  /** The font: each of these is a list of fonts that devices have, and none is loaded. */
  readonly font: "system" | "humanist" | "rounded" | "serif" | "mono"
  /** The colours of the chat; auto follows the visitor's system. The page's own choice goes first. */
  readonly colorScheme: "auto" | "light" | "dark"
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions: ReadonlyArray<string>
  /** Cards that the widget shows below the first message, each with a link or a question. */
  readonly welcomeCards: ReadonlyArray<WelcomeCard>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources: boolean
  /** Whether visitors can attach files, which only the replies of their conversation read. They count as documents of the owner. */
  readonly visitorUploads: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active: boolean
  /** The public keys that address the bot, oldest first. Each works until it is retired. */
  readonly keys: ReadonlyArray<BotKey>
  /** When the bot was made. */
  readonly createdAt: string
  /** When the bot was last changed. */
  readonly updatedAt: string
}

/** The settings of a bot to change. */
export interface BotChange {
  /** The name that visitors see. */
  readonly displayName?: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The side of the window; auto is the right one, or the left one of a page that runs from right to left. The page's own choice goes first. */
  readonly position?: "auto" | "left" | "right"
  /** Words beside the picture on the button that opens the chat; none if null. */
  readonly launcherText?: string | null
  /** The radius of the corners, from 0 to 24 pixels. */
  readonly cornerRadius?: number
  /** The font: each of these is a list of fonts that devices have, and none is loaded. */
  readonly font?: "system" | "humanist" | "rounded" | "serif" | "mono"
  /** The colours of the chat; auto follows the visitor's system. The page's own choice goes first. */
  readonly colorScheme?: "auto" | "light" | "dark"
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** Cards that the widget shows below the first message, each with a link or a question. */
  readonly welcomeCards?: ReadonlyArray<WelcomeCard>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations?: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether visitors can attach files, which only the replies of their conversation read. They count as documents of the owner. */
  readonly visitorUploads?: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver?: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail?: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName?: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours?: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** The settings of a new bot. */
export interface BotDraft {
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The side of the window; auto is the right one, or the left one of a page that runs from right to left. The page's own choice goes first. */
  readonly position?: "auto" | "left" | "right"
  /** Words beside the picture on the button that opens the chat; none if null. */
  readonly launcherText?: string | null
  /** The radius of the corners, from 0 to 24 pixels. */
  readonly cornerRadius?: number
  /** The font: each of these is a list of fonts that devices have, and none is loaded. */
  readonly font?: "system" | "humanist" | "rounded" | "serif" | "mono"
  /** The colours of the chat; auto follows the visitor's system. The page's own choice goes first. */
  readonly colorScheme?: "auto" | "light" | "dark"
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** Cards that the widget shows below the first message, each with a link or a question. */
  readonly welcomeCards?: ReadonlyArray<WelcomeCard>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations?: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether visitors can attach files, which only the replies of their conversation read. They count as documents of the owner. */
  readonly visitorUploads?: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver?: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail?: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName?: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours?: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** A public key of a bot. */
export interface BotKey {
  /** The key, as the widget of a site names it. */
  readonly publicKey: string
  /** When the key was created. */
  readonly createdAt: string
}

/** The bots of a person. */
export interface BotList {
  /** The bots, newest first. */
  readonly bots: ReadonlyArray<Bot>
}

/** The texts of a bot in one language. A missing one is the text for all languages. */
export interface BotTexts {
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** Cards that the widget shows below the first message, each with a link or a question. */
  readonly welcomeCards?: ReadonlyArray<WelcomeCard>
  /** The text that visitors see when the bot cannot answer. */
  readonly declineText?: string
  /** Words on the button that opens the chat. */
  readonly launcherText?: string
}

/** A site whose pages asked for the chat of a bot. */
export interface SeenSite {
  /** The site, such as `https://example.com`. */
  readonly site: string
  /** False if the settings of the bot did not allow it then: its visitors saw nothing. */
  readonly allowed: boolean
  /** When one of its pages last asked, to an hour. */
  readonly seenAt: string
}

/** The sites that load a bot's widget. */
export interface SeenSites {
  /** The sites. */
  readonly sites: ReadonlyArray<SeenSite>
}

export interface WelcomeCard {
  /** The title, in one line. */
  readonly title: string
  /** A text below the title. */
  readonly text?: string
  /** The address of the page that the card opens, with https or http. */
  readonly link?: string
  /** The question that the card asks, if it opens no page. */
  readonly question?: string
}

/** The operations of this area, by their ids. */
export interface BotsOperations {
  /** Lists your bots, newest first. Callers are signed-in people. */
  readonly listBots: {
    readonly response: BotList
  }
  /** Makes a bot with its first public key. Callers are signed-in people. */
  readonly createBot: {
    readonly body: BotDraft
    readonly response: Bot
  }
  /** Returns a bot. Callers are signed-in people. */
  readonly getBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Changes the settings of a bot that are named, and leaves the others. Callers are signed-in people. */
  readonly updateBot: {
    readonly path: {
      readonly id: string
    }
    readonly body: BotChange
    readonly response: Bot
  }
  /** Deletes a bot with its public keys and its visitors' conversations. Callers are signed-in people. */
  readonly deleteBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Creates another public key of a bot; the others keep working until they are retired. Callers are signed-in people. */
  readonly createBotKey: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Retires a public key of a bot; its only one cannot be. Callers are signed-in people. */
  readonly deleteBotKey: {
    readonly path: {
      readonly id: string
      readonly key: string
    }
    readonly response: Bot
  }
  /** Lists the sites whose pages asked for the chat of a bot, the last one first. Callers are signed-in people. */
  readonly listBotSites: {
    readonly path: {
      readonly id: string
    }
    readonly response: SeenSites
  }
}
