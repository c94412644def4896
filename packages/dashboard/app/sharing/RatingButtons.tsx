import type { Message } from "@parley/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { parley } from "../api/parley.ts"
import action from "../chat/transcript/MessageAction.module.css"
import { Icon } from "../theme/Icon.tsx"
import { RatingDialog } from "./RatingDialog.tsx"
import { useSharingMessages } from "./useSharingMessages.ts"

type Rating = Message["rating"]

export interface RatingButtonsProps {
  readonly chatId: string
  readonly messageId: string
  /** The stored rating, as far as this page knows. */
  readonly stored: Rating | undefined
}

/**
 * Buttons with which a person rates a reply. A second click removes the rating, and after a bad rating a dialog asks
 * for the reason.
 */
export const RatingButtons = ({ chatId, messageId, stored }: RatingButtonsProps) => {
  const { t } = useSharingMessages()
  const [given, setGiven] = useState<Rating>()
  const [isExplaining, setExplaining] = useState(false)
  const rating = given === undefined ? stored : given
  const path = { id: chatId, message: messageId }
  const rate = useMutation({
    mutationFn: async (next: NonNullable<Rating> | null): Promise<void> => {
      if (next === null) await parley.call("deleteRating", { path })
      else await parley.call("rateReply", { path, body: next })
    },
    onMutate: (next) => {
      setGiven(next)
      return rating
    },
    onError: (_error, _next, before) => setGiven(before)
  })
  const choose = (chosen: "good" | "bad") => {
    const isTakenBack = rating?.rating === chosen
    rate.mutate(isTakenBack ? null : { rating: chosen })
    setExplaining(chosen === "bad" && !isTakenBack)
  }
  const button = (name: "good" | "bad") => {
    const label = t(`rating.${name}`)
    return (
      <button
        type="button"
        className={action.action}
        aria-label={label}
        aria-pressed={rating?.rating === name}
        title={label}
        onClick={() => choose(name)}
      >
        <Icon name={name === "good" ? "thumbUp" : "thumbDown"} size={16} />
      </button>
    )
  }
  return (
    <>
      {button("good")}
      {button("bad")}
      {isExplaining && (
        <RatingDialog
          onSend={(comment) => {
            if (comment !== "") rate.mutate({ rating: "bad", comment })
            setExplaining(false)
          }}
          onClose={() => setExplaining(false)}
        />
      )}
    </>
  )
}
