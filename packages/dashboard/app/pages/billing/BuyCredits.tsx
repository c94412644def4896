import type { CreditPack, Price } from "@parley/client"
import { Button, Text, Title } from "@mantine/core"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import shared from "./BillingPage.module.css"
import classes from "./BuyCredits.module.css"
import { priceWords } from "./priceWords.ts"

export interface BuyCreditsProps {
  /** The packs of credits, the smallest first. */
  readonly packs: ReadonlyArray<CreditPack>
  /** The id of the price whose checkout page is being opened. */
  readonly leavingFor: string | undefined
  readonly onBuy: (price: Price) => void
}

/** Packs of credits for a one-time purchase. */
export const BuyCredits = ({ packs, leavingFor, onBuy }: BuyCreditsProps) => {
  const messages = useMessages()
  const { t } = messages
  return (
    <section aria-label={t("billing.buy")}>
      <div className={shared.head}>
        <div>
          <Title order={2} size="h4">
            {t("billing.buy")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("billing.buy.text")}
          </Text>
        </div>
      </div>
      <ul className={classes.packs}>
        {packs.map((pack) => {
          const credits = t("count.credits", { count: pack.credits })
          const price = priceWords(pack, messages)
          return (
            <li key={pack.priceId} className={classes.pack}>
              <div>
                <div className={classes.credits}>{credits}</div>
                <Text c="dimmed">{price}</Text>
              </div>
              <Button
                variant="default"
                aria-label={t("billing.buy.for", { credits, price })}
                loading={leavingFor === pack.priceId}
                disabled={leavingFor !== undefined && leavingFor !== pack.priceId}
                onClick={() => onBuy(pack)}
              >
                {t("billing.buy.short")}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
