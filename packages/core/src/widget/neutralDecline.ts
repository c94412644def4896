import type { BotLanguage } from "../bots/botFields.ts"

/** The text for visitors if the bot's owner has written none; it does not mention money. */
const DECLINES: Readonly<Record<BotLanguage, string>> = {
  en: "I cannot answer at the moment. Please try again later.",
  de: "Ich kann im Moment nicht antworten. Bitte versuchen Sie es später noch einmal.",
  fr: "Je ne peux pas répondre pour le moment. Veuillez réessayer plus tard.",
  es: "En este momento no puedo responder. Inténtelo de nuevo más tarde, por favor.",
  pt: "Não posso responder no momento. Por favor, tente novamente mais tarde.",
  it: "Al momento non posso rispondere. La preghiamo di riprovare più tardi.",
  nl: "Ik kan op dit moment niet antwoorden. Probeer het later opnieuw.",
  pl: "W tej chwili nie mogę odpowiedzieć. Proszę spróbować ponownie później.",
  ja: "ただいまお答えできません。しばらくしてからもう一度お試しください。",
  ar: "لا يمكنني الرد في الوقت الحالي. يُرجى المحاولة مرة أخرى لاحقًا."
}

/** The neutral decline in English. */
export const NEUTRAL_DECLINE = DECLINES.en

/** Returns the neutral decline in the language of the widget; in English if the language is unknown. */
export const neutralDecline = (language: BotLanguage = "en"): string => DECLINES[language]
