import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

const sheets = (): ReadonlyArray<CSSStyleRule> =>
  [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].filter((rule) => rule instanceof CSSStyleRule))

/** The tokens of `app/theme/tokens.css` with a beginning, as the page has them. */
const tokens = (isSuch: (name: string) => boolean): ReadonlyArray<string> => [
  ...new Set(
    sheets()
      .filter(({ selectorText }) => selectorText === ":root")
      .flatMap(({ style }) => [...style].filter((name) => !name.startsWith("--mantine") && isSuch(name)))
  )
]

const isColour = (name: string) =>
  CSS.supports("color", getComputedStyle(document.documentElement).getPropertyValue(name))
const isRadius = (name: string) => name.startsWith("--radius")
const isType = (name: string) => name.startsWith("--type")
const isSpace = (name: string) => name.startsWith("--space")

export const TokenSamples = () => (
  <>
    <Section title="Colours">
      <div className={classes.cards}>
        {tokens(isColour).map((name) => (
          <div key={name}>
            <div className={classes.swatch} style={{ background: `var(${name})` }} />
            <code className={classes.name}>{name}</code>
          </div>
        ))}
      </div>
    </Section>
    <Section title="Corners, type and spaces">
      <div className={classes.cards}>
        {tokens(isRadius).map((name) => (
          <div key={name}>
            <div className={classes.swatch} style={{ borderRadius: `var(${name})` }} />
            <code className={classes.name}>{name}</code>
          </div>
        ))}
        {tokens(isSpace).map((name) => (
          <div key={name}>
            <div className={classes.swatch} style={{ width: `var(${name})`, background: "var(--accent)" }} />
            <code className={classes.name}>{name}</code>
          </div>
        ))}
      </div>
      {tokens(isType).map((name) => (
        <p key={name} className={classes.sample} style={{ fontSize: `var(${name})` }}>
          The quick brown fox <code className={classes.name}>{name}</code>
        </p>
      ))}
    </Section>
  </>
)
