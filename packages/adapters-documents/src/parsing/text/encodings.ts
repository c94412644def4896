/** An encoding, and for each language that is written in it the letters beyond ASCII. */
export interface EncodingRow {
  /** A label of the WHATWG Encoding Standard. */
  readonly label: string
  /** The small letters of each language; empty if characters have several bytes. */
  readonly alphabets: ReadonlyArray<ReadonlySet<string>>
}

const letters = (text: string): ReadonlySet<string> => new Set(text)
const alphabets = (text: string): ReadonlyArray<ReadonlySet<string>> => text.split(" ").map(letters)

/** French, German, Spanish, Portuguese, Italian, Swedish and Finnish, Danish and Norwegian, Dutch, Icelandic. */
const WESTERN = alphabets("àâæçéèêëîïôùûüÿœ äöüß áéíñóúü áâãàçéêíóôõú àèéìíòóùú åäöé æøåéò éëïóöüè áðéíóúýþæö")
/** Polish, Czech, Slovak, Hungarian, Romanian, Croatian and Slovene; German is mixed into all of them. */
const CENTRAL = alphabets("ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíľňóôšťúýž áéíóöőúüű ăâîşţșț čćđšž äöüß")
/** Russian and Bulgarian, Ukrainian, Belarusian, Serbian and Macedonian. */
const CYRILLIC = alphabets(
  "абвгдежзийклмнопрстуфхцчшщъыьэюяё абвгґдеєжзиіїйклмнопрстуфхцчшщьюя абвгдеёжзійклмнопрстуўфхцчшыьэюя абвгдђѓежзѕијклљмнњопрстћќуфхцчџш"
)
const ARABIC = alphabets("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي")
/** The consonants, vowels and signs of Thai in the order of their codes. */
const THAI = `${"กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลฦวศษสหฬอฮ"}ฯะ\u0e31าำ\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39เแโใไๅๆ\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d`

/**
 * The encodings older than Unicode that are tried, the likeliest first. Of encodings that differ in a few signs only,
 * the list contains one.
 */
export const LEGACY_ENCODINGS: ReadonlyArray<EncodingRow> = [
  { label: "windows-1252", alphabets: WESTERN },
  { label: "windows-1251", alphabets: CYRILLIC },
  { label: "windows-1250", alphabets: CENTRAL },
  { label: "shift_jis", alphabets: [] },
  { label: "gb18030", alphabets: [] },
  { label: "big5", alphabets: [] },
  { label: "euc-kr", alphabets: [] },
  { label: "euc-jp", alphabets: [] },
  { label: "koi8-u", alphabets: CYRILLIC },
  { label: "ibm866", alphabets: CYRILLIC },
  { label: "iso-8859-5", alphabets: CYRILLIC },
  { label: "iso-8859-2", alphabets: CENTRAL },
  { label: "windows-1254", alphabets: alphabets("çğıi̇öşüâîû") },
  { label: "windows-1253", alphabets: alphabets("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ") },
  { label: "windows-1255", alphabets: alphabets("אבגדהוזחטיךכלםמןנסעףפץצקרשת") },
  { label: "windows-1256", alphabets: ARABIC },
  { label: "iso-8859-6", alphabets: ARABIC },
  { label: "windows-874", alphabets: [letters(THAI)] },
  { label: "windows-1257", alphabets: alphabets("āčēģīķļņšūž ąčęėįšųūž äöõüšž") },
  { label: "macintosh", alphabets: WESTERN },
  { label: "x-mac-cyrillic", alphabets: CYRILLIC }
]

/** Signs that occur in any text, so that they do not indicate an encoding. */
export const COMMON_SIGNS = letters("“”„‘’‚«»‹›–—…•·°§€£©®™№ª º¿¡×½¼¾²³±µ\u00a0\u00ad、。「」『』（），：；！？・ー―")

/** The letters that are most frequent in Cyrillic texts, and those that are rare. */
export const CYRILLIC_LETTERS = { common: letters("оеаинтсрвл"), rare: letters("фщъэёцшю") } as const

/** The letters that are most frequent in Hebrew texts, and those that occur only at the end of words. */
export const HEBREW_LETTERS = { common: letters("יוהלארתבשמ"), final: letters("ךםןףץ") } as const

/** The vowels of Cyrillic and Greek, in small letters. */
export const VOWEL_LETTERS = letters("аеиоуыэюяёіїєαεηιουωάέήίόύώϊϋΐΰ")

/** The commonest Korean syllables, which are about half of any Korean text. */
export const COMMON_HANGUL = letters(
  "이다는의에을를가은고하지로한사기시도어있나자대인서아리그해일수들것정부전상스제여과보원장동주조성구국만으라습니면안공요우문모관계회신비경소선내무제적된되했"
)

/** The commonest Chinese characters, which are about half of any Chinese text. */
export const COMMON_HAN = letters(
  "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长" +
    "這來國個說們為時會對過後發沒於還當開無見經頭從動兩長書語東京社部今新分者高間出入合場法字章測試檔案"
)
