import { type BotChange, UserId } from "@parley/core"
import { Option } from "effect"
import { Flag } from "effect/cli"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The flag with the id of the bot's owner. */
export const ownerFlag = Flag.String("owner").pipe(
  Flag.withDescription("The bot's owner, who pays for its replies"),
  Flag.withSchema(UserId)
)

/** The flags for all settings of a bot except its name. The bot service validates the values. */
export const botFlags = {
  welcome: text("welcome", "The first message that visitors see"),
  color: text("color", "The colour of the widget, as #rrggbb"),
  model: text("model", "The model that answers; default: the first one of the owner's plan"),
  instructions: text("instructions", "Instructions for the model, before every conversation"),
  document: Flag.String("document").pipe(
    Flag.withDescription("The id of a document it answers from; may be repeated"),
    Flag.atLeast(0)
  ),
  site: Flag.String("site").pipe(
    Flag.withDescription("A site that may embed the widget, such as https://example.com; may be repeated"),
    Flag.atLeast(0)
  ),
  question: Flag.String("question").pipe(
    Flag.withDescription("A suggested first question in the widget; may be repeated"),
    Flag.atLeast(0)
  ),
  dailyCap: Flag.Int("daily-cap").pipe(
    Flag.withDescription("The bot stops for the day when it has spent this many credits"),
    Flag.optional
  ),
  decline: text("decline", "The text that visitors see when the owner's credits are used up"),
  hideSources: Flag.Boolean("hide-sources").pipe(
    Flag.withDescription("Hide the cited passages from visitors (--hide-sources=false shows them)"),
    Flag.optional
  )
}

/** The parsed values of `botFlags`. */
export interface BotFlagValues {
  readonly welcome: Option.Option<string>
  readonly color: Option.Option<string>
  readonly model: Option.Option<string>
  readonly instructions: Option.Option<string>
  readonly document: ReadonlyArray<string>
  readonly site: ReadonlyArray<string>
  readonly question: ReadonlyArray<string>
  readonly dailyCap: Option.Option<number>
  readonly decline: Option.Option<string>
  readonly hideSources: Option.Option<boolean>
}

const given = <K extends keyof BotChange>(name: K, value: Option.Option<NonNullable<BotChange[K]>>) =>
  Option.isSome(value) ? { [name]: value.value } : {}

const named = <K extends keyof BotChange>(name: K, values: ReadonlyArray<string>) =>
  values.length === 0 ? {} : { [name]: values }

/** The settings whose flags are on the command line. */
export const settingsOf = (flags: BotFlagValues): BotChange => ({
  ...given("welcomeMessage", flags.welcome),
  ...given("primaryColor", flags.color),
  ...given("modelId", flags.model),
  ...given("instructions", flags.instructions),
  ...named("documentIds", flags.document),
  ...named("allowedSites", flags.site),
  ...named("suggestedQuestions", flags.question),
  ...given("dailyCap", flags.dailyCap),
  ...given("declineText", flags.decline),
  ...given(
    "showSources",
    Option.map(flags.hideSources, (hide) => !hide)
  )
})
