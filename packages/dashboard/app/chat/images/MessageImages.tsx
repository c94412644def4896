import { parley } from "../../api/parley.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import classes from "./Images.module.css"

/** The images of a question. Each opens in a separate page. */
export const MessageImages = ({ imageIds }: { readonly imageIds: ReadonlyArray<string> }) => {
  const { t } = useMessages()
  return (
    <ul className={classes.shown}>
      {imageIds.map((id, place) => (
        <li key={id}>
          <a href={parley.images.url(id)} target="_blank" rel="noopener">
            <img src={parley.images.url(id)} alt={t("chat.image", { number: place + 1 })} loading="lazy" />
          </a>
        </li>
      ))}
    </ul>
  )
}
